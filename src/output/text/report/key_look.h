// How the column of a sort key looks: its title, how wide it is at least, and how its cells are aligned.
//
// A column looks like all those of its kind, and its title is made of the key's name ("local_weight" → "Local Weight").
// The table in key_look.cc has a row for each key that differs.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/sort_key.h"

namespace peregrine {

struct KeyLook {
  std::string_view key = {};    // its name
  std::string_view title = {};  // empty: made of the name
  unsigned width = 0;           // least width of the cells; the title may be wider
  bool right = false;           // numbers are aligned to the right
  bool open_ended = false;      // not padded where it ends a line
};

// The rows of the table.
std::span<const KeyLook> key_looks();
// As the table says, or as keys of its kind look.
KeyLook look_of(SortKey key);
std::string title_of(const Columns& columns, SortKey key);
// The same without the blanks that align it with its cells.
std::string bare_title_of(const Columns& columns, SortKey key);
// The title of a tree's column: "Command / Shared Object+Symbol".
std::string levels_title(const Columns& columns, std::span<const std::vector<SortKey>> levels);
// Of the column: that of its title or its cells.
unsigned least_width(const Columns& columns, SortKey key);

// Whether cells that are wider than the column are cut, and whether narrower ones are padded at the end of a line.
bool is_cut(SortKey key);
bool is_padded(SortKey key);

}  // namespace peregrine
