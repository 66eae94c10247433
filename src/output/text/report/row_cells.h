// The key cells of a RowTable as text: the values below "Command", "Symbol", …
//
// Texts of the recording are made printable, and a separator inside them is replaced by a dot. For report's table and
// tree and for diff. Pure.
#pragma once
#include <string>
#include <string_view>

#include "analysis/hist/row/row_table.h"

namespace peregrine {

class RowCells {
 public:
  // `separator`: empty for aligned columns. `wide_dsos`: makes dso columns wide enough for an unresolved address.
  RowCells(const RowTable& table, std::string_view separator, bool wide_dsos)
      : table_(table), separator_(separator), wide_dsos_(wide_dsos) {}

  // The width that the row's cell needs.
  std::size_t width(const Row& row, SortKey key) const;
  // `width`: the column's, for right-aligned numbers.
  std::string text(const Row& row, SortKey key, unsigned width) const;
  // Text of a recording, made displayable.
  std::string shown(std::string_view text) const;

  // Whether the key's cells are truncated to the column, and padded at the end of the line.
  static bool is_cut(SortKey key);
  static bool is_padded(SortKey key);

 private:
  const FrameLook& look_of(const Row& row, SortKey key) const;
  std::string frame_text(const Row& row, SortKey key) const;
  std::string symbol_text(const FrameLook& look, char level) const;
  std::string place_text(const FrameLook& look) const;
  std::string source_text(const FrameLook& look, KeyLook which) const;
  std::string name_text(const FrameLook& look) const;

  const RowTable& table_;
  std::string_view separator_;
  bool wide_dsos_;
};

}  // namespace peregrine
