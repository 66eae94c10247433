// The look of a sort key's column: its title, its minimum width, and the alignment of its cells.
//
// A column looks like all others of its kind, and its title comes from the key's name ("local_weight" → "Local
// Weight"). The table in key_look.cc has a row for each key that differs.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/sort_key.h"

namespace peregrine {

struct KeyLook {
  std::string_view key = {};    // the key's name
  std::string_view title = {};  // empty: derived from the name
  unsigned width = 0;           // minimum width of the cells; the title may be wider
  bool right = false;           // numbers are right-aligned
  bool open_ended = false;      // not padded at the end of a line
};

// The rows of the table.
std::span<const KeyLook> key_looks();
// According to the table, or else like other keys of the same kind.
KeyLook look_of(SortKey key);
std::string title_of(const Columns& columns, SortKey key);
// The same, without the blanks that align it with its cells.
std::string bare_title_of(const Columns& columns, SortKey key);
// The title of a tree's column: "Command / Shared Object+Symbol".
std::string levels_title(const Columns& columns, std::span<const std::vector<SortKey>> levels);
// The column's minimum width: that of its title or its cells.
unsigned least_width(const Columns& columns, SortKey key);

// Whether cells wider than the column are truncated, and narrower ones padded at the end of a line.
bool is_cut(SortKey key);
bool is_padded(SortKey key);

}  // namespace peregrine
