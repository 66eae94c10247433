// BlockComparison: compares the cycles of code blocks in several recordings: diff -c cycles.
//
//   blocks of the baseline ─┐
//   blocks of file 1 ───────┼─▶ joined by dso, function and offsets of begin and end ─▶ those of the largest
//   blocks of file 2 ───────┘   functions first
//
// A block is the code between two branches of a branch stack; the cycles are the second branch's. Ignores blocks
// without a function name, and baseline blocks that no other file has. The first side is the baseline.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

// One recording. Rows of `blocks` have the keys addr_from, addr_to and cycles, those of `functions` dso and symbol.
struct BlockSide {
  const RowTable* blocks = nullptr;  // null if it lacks the event
  const RowTable* functions = nullptr;
};

// How many times a block took how many cycles, in ascending order of cycles.
struct CycleCounts {
  std::vector<std::pair<u64, u64>> counts;  // cycles, and how many times

  void add(u64 cycles, u64 times);
  u64 times() const;
  u64 mean() const;         // integer part
  double variance() const;  // of a single run of the block
};

struct ComparedBlock {
  std::string dso, symbol, start, end;  // begin and end as source lines, or "main+0x12"
  char level = '.';                     // kind of the function: k kernel, . user
  double share = 0;                     // the function's percentage of the baseline's samples
  std::vector<CycleCounts> sides;       // empty if that file lacks the block

  bool has(std::size_t side) const { return sides[side].times() != 0; }
  i64 change(std::size_t side) const;
  // The standard error as a percentage of the change; 0 if the change is 0.
  double error(std::size_t side) const;
};

// `order`: blocks of a function are sorted by the change of this side, largest first.
std::vector<ComparedBlock> compare_blocks(std::span<const BlockSide> sides, std::size_t order);

}  // namespace peregrine
