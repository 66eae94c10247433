// The key cells of a RowTable as text: the values below "Command", "Symbol", …
//
// Texts of the recording are made printable, and a separator inside them is replaced by a dot. For report's table and
// tree and for diff. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/container/string_pool.h"
#include "output/text/report/key_look.h"

namespace peregrine {

class RowCells {
 public:
  // `separator`: empty for aligned columns. `wide_dsos`: makes dso columns wide enough for an unresolved address.
  RowCells(const RowTable& table, std::string_view separator, bool wide_dsos);

  // The width needed for the row's cell.
  std::size_t width(const Row& row, SortKey key) const;
  // `width`: the column's, for right-aligned numbers.
  std::string text(const Row& row, SortKey key, unsigned width) const;
  // Whether the key's cells are padded at the end of a line.
  bool is_padded(SortKey key) const { return !look(key).open_ended; }
  // Text from a recording, made displayable.
  std::string shown(std::string_view text) const;

 private:
  std::string frame_text(const Row& row, SortKey key) const;
  std::string group_text(const Row& row, SortKey key, unsigned width) const;
  std::string symbol_text(const FrameLook& look, char level) const;
  std::string place_text(const FrameLook& look) const;
  std::string text_or_nothing(StringId text) const;
  std::string name_text(const FrameLook& look) const;

  KeyLook look(SortKey key) const;

  const RowTable& table_;
  std::string_view separator_;
  bool wide_dsos_;
  std::vector<std::pair<SortKey, KeyLook>> looks_;  // of the table's keys; finding them for each cell would be too slow
};

}  // namespace peregrine
