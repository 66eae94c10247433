#include "output/tui/screen/canvas.h"

#include <algorithm>
#include <cstddef>

#include "base/text/utf8.h"
#include "output/text/format/printable.h"

namespace peregrine::tui {

namespace {

constexpr Glyphs kAscii{U'-', U'|', U'+', U'+', U'+', U'+', U'#', U':', U'<', U'^', U'v', U".._-=+*#"};
constexpr Glyphs kUnicode{U'─', U'│', U'┌', U'┐', U'└', U'┘', U'█', U'░', U'◀', U'▲', U'▼', U"▁▂▃▄▅▆▇█"};

// Removes and returns the next UTF-8 character of `text`; an invalid byte and a control character become '?'.
char32_t take(std::string_view& text) {
  const unsigned size = utf8_length(text);
  const bool shown = size != 0 && is_printable(text.substr(0, size));
  const char32_t glyph = shown ? utf8_value(text, size) : U'?';
  text.remove_prefix(std::max(size, 1u));
  return glyph;
}

}  // namespace

void append_utf8(std::string& out, char32_t glyph) {
  if (glyph < 0x80) {
    out += static_cast<char>(glyph);
    return;
  }
  const unsigned size = glyph < 0x800 ? 2 : glyph < 0x10000 ? 3 : 4;
  out += static_cast<char>((0xf00u >> size & 0xff) | glyph >> (6 * (size - 1)));
  for (unsigned i = size - 1; i-- > 0;) out += static_cast<char>(0x80 | (glyph >> (6 * i) & 0x3f));
}

const Glyphs& glyphs(bool ascii) { return ascii ? kAscii : kUnicode; }

Canvas::Canvas(unsigned width, unsigned height, bool ascii)
    : width_(width), height_(height), ascii_(ascii), cells_(std::size_t{width} * height) {}

unsigned Canvas::put(unsigned x, unsigned y, char32_t glyph, Style style) {
  if (x >= width_ || y >= height_) return x;
  if (ascii_ && glyph >= 0x80) glyph = U'?';
  cells_[std::size_t{y} * width_ + x] = {glyph, style};
  return x + 1;
}

unsigned Canvas::put(unsigned x, unsigned y, std::string_view text, Style style, unsigned most) {
  for (; !text.empty() && most > 0 && x < width_; --most) x = put(x, y, take(text), style);
  return x;
}

void Canvas::fill(unsigned x, unsigned y, unsigned width, Style style, char32_t glyph) {
  for (unsigned i = 0; i < width && x + i < width_; ++i) put(x + i, y, glyph, style);
}

void Canvas::paint(unsigned x, unsigned y, unsigned width, Style style) {
  if (y >= height_) return;
  for (unsigned i = x; i < width_ && i < x + width; ++i) cells_[std::size_t{y} * width_ + i].style = style;
}

void Canvas::box(unsigned x, unsigned y, unsigned width, unsigned height, std::string_view title) {
  if (width < 2 || height < 2) return;
  const Glyphs& g = glyphs();
  for (unsigned row = y; row < y + height; ++row) fill(x, row, width, Style::Box);
  fill(x, y, width, Style::Box, g.horizontal);
  fill(x, y + height - 1, width, Style::Box, g.horizontal);
  for (unsigned row = y + 1; row + 1 < y + height; ++row) {
    put(x, row, g.vertical, Style::Box);
    put(x + width - 1, row, g.vertical, Style::Box);
  }
  put(x, y, g.top_left, Style::Box);
  put(x + width - 1, y, g.top_right, Style::Box);
  put(x, y + height - 1, g.bottom_left, Style::Box);
  put(x + width - 1, y + height - 1, g.bottom_right, Style::Box);
  if (!title.empty() && width > 4) put(x + 2, y, title, Style::Box, width - 4);
}

void Canvas::scroll_bar(unsigned y, unsigned height, std::size_t first, std::size_t shown, std::size_t count) {
  if (count <= shown || height == 0 || width_ == 0) return;
  const std::size_t room = std::max<std::size_t>(height, 1);
  const std::size_t length = std::max<std::size_t>(room * shown / count, 1);
  const std::size_t start = (room - length) * first / std::max<std::size_t>(count - shown, 1);
  for (unsigned i = 0; i < height; ++i) {
    const bool thumb = i >= start && i < start + length;
    put(width_ - 1, y + i, thumb ? glyphs().thumb : glyphs().rail, Style::Dim);
  }
}

std::string Canvas::text() const {
  std::string result;
  for (unsigned y = 0; y < height_; ++y) {
    std::string line;
    for (unsigned x = 0; x < width_; ++x) append_utf8(line, at(x, y).glyph);
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  }
  return result;
}

}  // namespace peregrine::tui
