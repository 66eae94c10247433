// The cells of a RowTable's key columns as text: what stands below "Command", "Symbol", … in a row.
//
// Texts of the recording are made printable, and where columns are separated by a text, a dot stands for it inside
// them. For report's table and tree and for diff. Pure.
#pragma once
#include <string>
#include <string_view>

#include "analysis/hist/row/row_table.h"

namespace peregrine {

class RowCells {
 public:
  // `separator`: empty where columns are aligned. `wide_dsos`: a dso's column leaves room for an unresolved address.
  RowCells(const RowTable& table, std::string_view separator, bool wide_dsos)
      : table_(table), separator_(separator), wide_dsos_(wide_dsos) {}

  // What the column must be as wide as to hold the row's cell.
  std::size_t width(const Row& row, SortKey key) const;
  // `width`: the column's, for numbers that lean to the right.
  std::string text(const Row& row, SortKey key, unsigned width) const;
  // The text of a recording as it may be shown.
  std::string shown(std::string_view text) const;

  // Whether the key's cells are cut where they are wider than their column, and padded where they end the line.
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
