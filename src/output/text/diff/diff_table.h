// The table of diff: the baseline's share and the other files' changes, left of the rows' keys.
//
// Programs read it, so it is linux-perf's to the byte, but for the interval columns, which are ours. Pure but for the
// sink.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/diff/comparison.h"
#include "output/sink.h"

namespace peregrine {

struct DiffText {
  std::string separator;  // empty: aligned columns
  bool titles = true;
  bool periods = false;         // -p
  bool formula = false;         // -F
  bool intervals = false;       // bounds of each change, and whether it is real
  std::vector<SortKey> hidden;  // key columns that have but one value by a filter
};

// "# Event 'cycles'", and which files are compared where `files` are given.
void print_diff_heading(Sink& out, std::string_view event, std::span<const std::string> files);
void print_diff(Sink& out, const Comparison& comparison, const DiffText& style);

}  // namespace peregrine
