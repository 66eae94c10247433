#include "output/tui/menu/popup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "output/text/format/printable.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

namespace {

constexpr unsigned kMargin = 2;      // columns that a title needs in addition to its text
constexpr std::size_t kBorders = 4;  // columns of both borders and their gaps

struct Place {
  unsigned x, y, width, height;
};

// A centred box that fits the contents, limited to the screen.
Place place_for(const Canvas& canvas, std::size_t width, std::size_t height) {
  Place place{};
  place.width = static_cast<unsigned>(std::min<std::size_t>(width + kBorders, canvas.width()));
  place.height = static_cast<unsigned>(std::min<std::size_t>(height + 2, canvas.height()));
  place.x = (canvas.width() - place.width) / 2;
  place.y = (canvas.height() - place.height) / 2;
  return place;
}

std::size_t widest(const std::string& title, const std::vector<std::string>& lines) {
  std::size_t width = display_width(title) + kMargin;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

// The line in pieces of at most `width` columns, each with the indentation of the first. Breaks between words, and
// within a word only if it is too wide itself.
void append_wrapped(std::vector<std::string>& lines, std::string_view line, std::size_t width) {
  const std::string indent(std::min(line.find_first_not_of(' '), line.size()), ' ');
  std::string_view rest = line;
  std::string before;
  const bool indented = indent.size() + 1 < width;
  while (width > 0 && display_width(before) + display_width(rest) > width) {
    const std::string_view fits = first_columns(rest, width - before.size());
    const std::size_t first_word = std::min(rest.find_first_not_of(' '), rest.size());
    std::size_t cut = rest[fits.size()] == ' ' ? fits.size() : fits.rfind(' ');
    if (cut == fits.npos || cut <= first_word) cut = fits.size();
    std::string_view piece = rest.substr(0, cut);
    piece = piece.substr(0, piece.find_last_not_of(' ') + 1);
    lines.push_back(before + std::string(piece));
    rest.remove_prefix(cut);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (indented) before = indent;
    if (rest.empty()) return;
  }
  lines.push_back(before + std::string(rest));
}

}  // namespace

void MenuView::draw(Canvas& canvas) {
  const Place place = place_for(canvas, widest(title_, lines_), lines_.size());
  canvas.box(place.x, place.y, place.width, place.height, title_);
  height_ = place.height - 2;
  x_ = place.x;
  y_ = place.y + 1;
  width_ = place.width;
  cursor_.settle(lines_.size(), height_);
  for (std::size_t row = 0; row < height_ && cursor_.first + row < lines_.size(); ++row) {
    const std::size_t line = cursor_.first + row;
    const unsigned y = y_ + static_cast<unsigned>(row);
    canvas.put(place.x + 2, y, lines_[line], Style::Box, place.width - 4);
    if (line == cursor_.at) canvas.paint(place.x + 1, y, place.width - 2, Style::BoxSelected);
  }
}

Answer MenuView::key(const Key& key) {
  if (ends(key)) return leave(key);
  if (key.code == Key::Code::Escape || key.code == Key::Code::Left) return {.kind = Answer::Kind::Back};
  if (key.code == Key::Code::Click || key.code == Key::Code::DoubleClick) {
    if (key.x < x_ || key.x >= x_ + width_ || key.y < y_ || key.y >= y_ + height_) return {.kind = Answer::Kind::Back};
    cursor_.at = std::min(cursor_.first + (key.y - y_), lines_.size() - 1);
    return choose_(cursor_.at);
  }
  if (cursor_.move(key, lines_.size(), height_)) return {};
  if (key.code == Key::Code::Enter || key.code == Key::Code::Right) return choose_(cursor_.at);
  return {};
}

TextView::TextView(std::string title, std::string_view text) : title_(std::move(title)) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines_.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void TextView::draw(Canvas& canvas) {
  wrapped_.clear();
  for (const std::string& line : lines_)
    append_wrapped(wrapped_, line, std::max<std::size_t>(canvas.width(), kBorders + 1) - kBorders);
  const Place place = place_for(canvas, widest(title_, wrapped_), wrapped_.size());
  canvas.box(place.x, place.y, place.width, place.height, title_);
  height_ = place.height - 2;
  first_ = std::min(first_, wrapped_.size() > height_ ? wrapped_.size() - height_ : 0);
  for (std::size_t row = 0; row < height_ && first_ + row < wrapped_.size(); ++row)
    canvas.put(place.x + 2, place.y + 1 + static_cast<unsigned>(row), wrapped_[first_ + row], Style::Box,
               place.width - 4);
  if (wrapped_.size() > height_) {
    const std::string more = fmt::format(" {}-{} of {} ", first_ + 1, first_ + height_, wrapped_.size());
    canvas.put(place.x + place.width - 2 - static_cast<unsigned>(std::min<std::size_t>(more.size(), place.width - 3)),
               place.y + place.height - 1, more, Style::Box);
  }
}

Answer TextView::key(const Key& key) {
  switch (key.code) {
    case Key::Code::Up:
    case Key::Code::WheelUp:
      first_ -= first_ > 0 ? 1 : 0;
      return {};
    case Key::Code::Down:
    case Key::Code::WheelDown:
      ++first_;
      return {};
    case Key::Code::PageUp:
      first_ -= std::min(first_, height_);
      return {};
    case Key::Code::PageDown:
      first_ += height_;
      return {};
    case Key::Code::Home:
      first_ = 0;
      return {};
    case Key::Code::End:
      first_ = wrapped_.size();
      return {};
    case Key::Code::None:
    case Key::Code::Resize:
      return {};
    default:
      if (ends(key)) return leave(key);
      if (!key.is(' ')) return {.kind = Answer::Kind::Back};
      first_ += height_;
      return {};
  }
}

void PromptView::draw(Canvas& canvas) {
  const unsigned y = canvas.height() - 1;
  canvas.fill(0, y, canvas.width(), Style::Plain);
  unsigned x = canvas.put(0, y, question_, Style::Key);
  // Show the end of a long text, because that is where the user types.
  const std::size_t room = canvas.width() > x + 2 ? canvas.width() - x - 2 : 1;
  const std::size_t width = display_width(text_);
  const std::string_view text = std::string_view(text_);
  x = canvas.put(x + 1, y, width > room ? text.substr(first_columns(text, width - room).size()) : text);
  canvas.put(x, y, U' ', Style::Selected);
}

Answer PromptView::key(const Key& key) {
  switch (key.code) {
    case Key::Code::Enter:
      return done_(text_, true);
    case Key::Code::Escape:
      return done_(text_, false);
    case Key::Code::Backspace:
      while (!text_.empty() && (static_cast<unsigned char>(text_.back()) & 0xc0) == 0x80) text_.pop_back();
      if (!text_.empty()) text_.pop_back();
      change_(text_);
      return {};
    case Key::Code::Char:
      break;
    default:
      return {};
  }
  if (key.glyph == 3) return done_(text_, false);
  if (key.glyph == 21) {  // ^U
    text_.clear();
  } else if (key.glyph >= 0x20) {
    append_utf8(text_, key.glyph);
  }
  change_(text_);
  return {};
}

Answer ask_what_to_find(std::string& wanted, std::string& status, std::function<bool()> found) {
  const auto done = [&wanted, &status, found = std::move(found)](const std::string& text, bool accepted) {
    if (accepted) wanted = text;
    if (accepted && !found()) status = "not found: " + text;
    return Answer{.kind = Answer::Kind::Back};
  };
  return {.kind = Answer::Kind::Open,
          .view = std::make_unique<PromptView>("find:", wanted, [](const std::string&) {}, done)};
}

std::unique_ptr<View> ask_to_quit() {
  return std::make_unique<MenuView>("Quit?", std::vector<std::string>{"Yes", "No"}, [](std::size_t chosen) {
    return Answer{.kind = chosen == 0 ? Answer::Kind::Quit : Answer::Kind::Back};
  });
}

}  // namespace peregrine::tui
