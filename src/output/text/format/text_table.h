// TextTable: titles, rulers and rows in aligned columns.
//
//   const TextTable table({{.title = "Lock", .width = 6, .align = Align::Left, .before = ""},
//                          {.title = "Hits", .width = 5}});
//   table.titles(out);               Lock     Hits
//   table.ruler(out, '-');           ------  -----
//   table.row(out, {"rq", "17"});    rq         17
//
// Widths count columns of a terminal, not bytes, so names outside ASCII do not shift the cells after them. Cells must
// be printable. A cell that is longer than its column shifts the rest of its row.
//
// Layouts of linux-perf explain the options: rulers that are longer or shorter than their table, titles aligned unlike
// their cells, and "#" in the first column of a heading.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

enum class Align : u8 { Left, Right };

struct TextColumn {
  std::string title = {};
  std::size_t width = 0;  // minimum width of cells and titles; length of the ruler
  Align align = Align::Right;
  std::string before = "  ";              // text before each cell of this column
  std::optional<Align> title_align = {};  // otherwise the cells'
  bool ragged = false;                    // no blanks after left-aligned cells and titles
  std::string group = {};                 // a title above `title`, aligned like it
  std::size_t spans = 1;                  // columns below `group`; 0: below the group of an earlier column
};

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  const std::vector<TextColumn>& columns() const { return columns_; }
  // Widens a column to fit the cell.
  void fit(std::size_t column, std::string_view cell);

  // A line of groups, if any, then a line of titles. `mark` replaces the first characters of each line.
  void titles(Sink& out, std::string_view mark = {}) const;
  // A heading with lines that begin with '#': titles, dots, and a line with only '#'.
  void commented_titles(Sink& out) const;
  // A line with `c` below each column.
  void ruler(Sink& out, char c, std::string_view mark = {}) const;
  // A line with these cells; there may be fewer cells than columns.
  void row(Sink& out, std::initializer_list<std::string_view> cells) const;
  void row(Sink& out, std::span<const std::string> cells) const;
  // Only the cells, for rows that continue, starting at column `first`.
  void cells(Sink& out, std::initializer_list<std::string_view> cells, std::size_t first = 0) const;
  void cells(Sink& out, std::span<const std::string> cells) const;

 private:
  void cell(Sink& out, std::size_t column, std::string_view text) const;

  std::vector<TextColumn> columns_;
};

// Pads the text to `width` columns; does not truncate.
void append_aligned(Sink& out, std::string_view text, std::size_t width, Align align);
// `before`, then `c` repeated `width` times.
void append_ruler(Sink& out, char c, std::size_t width, std::string_view before = {});
// A heading with a ruler of the same length below it; boxed: also above it.
void append_underlined(Sink& out, std::string_view title, char c, std::string_view before = {});
void append_boxed(Sink& out, std::string_view title, char c);

}  // namespace peregrine
