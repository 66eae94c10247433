#include "output/text/format/text_table.h"

#include <algorithm>
#include <cstddef>

#include "output/text/format/printable.h"

namespace peregrine {

namespace {

std::size_t padded_width(const TextColumn& column, Align align) {
  return column.ragged && align == Align::Left ? 0 : column.width;
}

void append_marked(Sink& out, std::string_view mark, std::string line) {
  line.replace(0, std::min(mark.size(), line.size()), mark);
  out.append(line).append('\n');
}

}  // namespace

void TextTable::fit(std::size_t column, std::string_view cell) {
  columns_[column].width = std::max(columns_[column].width, display_width(cell));
}

void TextTable::titles(Sink& out, std::string_view mark) const {
  Sink line;
  if (std::ranges::any_of(columns_, [](const TextColumn& column) { return !column.group.empty(); })) {
    for (std::size_t at = 0; at < columns_.size();) {
      const TextColumn& first = columns_[at++];
      std::size_t width = first.width;
      for (std::size_t more = 1; more < first.spans; ++more, ++at)
        width += columns_[at].before.size() + columns_[at].width;
      append_aligned(line.append(first.before), first.group, width, first.title_align.value_or(first.align));
    }
    append_marked(out, mark, line.take());
  }
  for (const TextColumn& column : columns_) {
    const Align align = column.title_align.value_or(column.align);
    append_aligned(line.append(column.before), column.title, padded_width(column, align), align);
  }
  append_marked(out, mark, line.take());
}

void TextTable::commented_titles(Sink& out) const {
  titles(out, "# ");
  ruler(out, '.', "# ");
  out.append("#\n");
}

void TextTable::ruler(Sink& out, char c, std::string_view mark) const {
  Sink line;
  for (const TextColumn& column : columns_) line.append(column.before).fill(c, column.width);
  append_marked(out, mark, line.take());
}

void TextTable::cell(Sink& out, std::size_t at, std::string_view text) const {
  const TextColumn& column = columns_[at];
  append_aligned(out.append(column.before), text, padded_width(column, column.align), column.align);
}

void TextTable::cells(Sink& out, std::initializer_list<std::string_view> cells, std::size_t first) const {
  for (const std::string_view text : cells) cell(out, first++, text);
}

void TextTable::cells(Sink& out, std::span<const std::string> cells) const {
  for (std::size_t at = 0; at < cells.size(); ++at) cell(out, at, cells[at]);
}

void TextTable::row(Sink& out, std::initializer_list<std::string_view> cells_of_row) const {
  cells(out, cells_of_row);
  out.append('\n');
}

void TextTable::row(Sink& out, std::span<const std::string> cells_of_row) const {
  cells(out, cells_of_row);
  out.append('\n');
}

void append_aligned(Sink& out, std::string_view text, std::size_t width, Align align) {
  const std::size_t used = width == 0 ? 0 : display_width(text), blanks = used < width ? width - used : 0;
  if (align == Align::Right) out.fill(' ', blanks);
  out.append(text);
  if (align == Align::Left) out.fill(' ', blanks);
}

void append_ruler(Sink& out, char c, std::size_t width, std::string_view before) {
  out.append(before).fill(c, width).append('\n');
}

void append_underlined(Sink& out, std::string_view title, char c, std::string_view before) {
  out.append(before).append(title).append('\n');
  append_ruler(out, c, display_width(title), before);
}

void append_boxed(Sink& out, std::string_view title, char c) {
  append_ruler(out, c, display_width(title));
  append_underlined(out, title, c);
}

}  // namespace peregrine
