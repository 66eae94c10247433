// The table of diff -c cycles: code blocks, and their cycles relative to the baseline. Titles and widths are
// linux-perf's. Pure except for the sink.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "analysis/diff/block_comparison.h"
#include "output/sink.h"

namespace peregrine {

struct BlockDiffText {
  std::string separator;  // empty: aligned columns
  bool titles = true;
  bool spread = false;  // --cycles-hist
};

// For `sides` recordings.
void print_block_diff(Sink& out, std::span<const ComparedBlock> blocks, std::size_t sides, const BlockDiffText& style);

}  // namespace peregrine
