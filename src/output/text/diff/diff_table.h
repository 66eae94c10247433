// The table of diff: the baseline's share and the other files' changes, then the rows' keys.
//
// Byte for byte linux-perf's, since programs read it, except for our interval columns. Pure except for the sink.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/diff/comparison.h"
#include "analysis/hist/key/sort_key.h"
#include "output/sink.h"

namespace peregrine {

struct DiffText {
  std::string separator;  // empty: aligned columns
  bool titles = true;
  bool periods = false;         // -p
  bool formula = false;         // -F
  bool intervals = false;       // bounds of each change, and whether it is significant
  std::vector<SortKey> hidden;  // key columns reduced to a single value by a filter
};

// "# Event 'cycles'", and the compared files if `files` is not empty.
void print_diff_heading(Sink& out, std::string_view event, std::span<const std::string> files);
void print_diff(Sink& out, const Comparison& comparison, const DiffText& style);

}  // namespace peregrine
