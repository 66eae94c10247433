// BlockComparison: the cycles that blocks of code took in several recordings, side by side: diff -c cycles.
//
//   blocks of the baseline ─┐
//   blocks of file 1 ───────┼─▶ joined by dso, function and how far in they begin and end ─▶ those of the largest
//   blocks of file 2 ───────┘   functions first
//
// A block is what ran between two branches of a branch stack; the second one's cycles are its own. Blocks that no
// function names are not compared, nor those of the baseline that no other file has. The first side is the baseline.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/hist/row/row_table.h"

namespace peregrine {

// One recording. Rows of `blocks` are of the keys addr_from, addr_to and cycles, those of `functions` of dso and
// symbol.
struct BlockSide {
  const RowTable* blocks = nullptr;  // null: nothing of this event is there
  const RowTable* functions = nullptr;
};

// How often a block took so many cycles, the fewest first.
struct CycleCounts {
  std::vector<std::pair<u64, u64>> counts;  // cycles, times

  void add(u64 cycles, u64 times);
  u64 times() const;
  u64 mean() const;         // whole cycles
  double variance() const;  // of one run of the block
};

struct ComparedBlock {
  std::string dso, symbol, start, end;  // places as source lines, or "main+0x12"
  char level = '.';                     // of the function: k kernel, . user
  double share = 0;                     // percent of the baseline's samples that are in the function
  std::vector<CycleCounts> sides;       // no times: that file has no such block

  bool has(std::size_t side) const { return sides[side].times() != 0; }
  i64 change(std::size_t side) const;
  // Percent of the change that its standard error is; nothing to divide by: 0.
  double error(std::size_t side) const;
};

// `order`: by which side's change blocks of one function are ordered, the largest first.
std::vector<ComparedBlock> compare_blocks(std::span<const BlockSide> sides, std::size_t order);

}  // namespace peregrine
