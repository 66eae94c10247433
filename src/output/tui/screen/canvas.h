// Canvas: one screen image as cells, each a character and a style.
//
// Views draw on it without knowing terminals, so tests can read the result. What does not fit is clipped.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace peregrine::tui {

// What a cell belongs to; a Screen assigns colours, or bold and reverse if there are none.
enum class Style : u8 {
  Plain,
  Title,     // the top line
  Header,    // names of columns
  Selected,  // the cursor line
  Hot,       // 5 % and more
  Warm,      // 0.5 % and more
  Dim,
  Kernel,
  Added,  // inlined and other remarks
  Key,    // names of keys
  Box,    // menu frames and their contents
  BoxSelected,
  Mark,  // search matches
  Error,
};

// Characters for lines and bars.
struct Glyphs {
  char32_t horizontal, vertical, top_left, top_right, bottom_left, bottom_right;
  char32_t thumb, rail;  // of scroll bars
  char32_t left_arrow, up_arrow, down_arrow;
  const char32_t* bars;  // eight, from low to high
};
const Glyphs& glyphs(bool ascii);

struct Cell {
  char32_t glyph = U' ';
  Style style = Style::Plain;
  friend bool operator==(const Cell&, const Cell&) = default;
};

class Canvas {
 public:
  Canvas(unsigned width, unsigned height, bool ascii);

  unsigned width() const { return width_; }
  unsigned height() const { return height_; }
  bool ascii() const { return ascii_; }
  const Glyphs& glyphs() const { return tui::glyphs(ascii_); }

  const Cell& at(unsigned x, unsigned y) const { return cells_[std::size_t{y} * width_ + x]; }
  // Each returns the end position. `text` is UTF-8; in ASCII mode other characters become '?'.
  unsigned put(unsigned x, unsigned y, std::string_view text, Style style = Style::Plain, unsigned most = ~0u);
  unsigned put(unsigned x, unsigned y, char32_t glyph, Style style = Style::Plain);
  void fill(unsigned x, unsigned y, unsigned width, Style style, char32_t glyph = U' ');
  // Changes the style of cells, e.g. for the cursor line.
  void paint(unsigned x, unsigned y, unsigned width, Style style);
  // An empty frame with a title in its top border.
  void box(unsigned x, unsigned y, unsigned width, unsigned height, std::string_view title);
  // A scroll bar at the right edge for `shown` of `count` lines, starting at `first`.
  void scroll_bar(unsigned y, unsigned height, std::size_t first, std::size_t shown, std::size_t count);

  // Lines without trailing spaces.
  std::string text() const;

 private:
  unsigned width_, height_;
  bool ascii_;
  std::vector<Cell> cells_;
};

void append_utf8(std::string& out, char32_t glyph);

}  // namespace peregrine::tui
