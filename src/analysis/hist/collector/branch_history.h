// BranchHistory: a sample's branch stack put in front of its callchain, as report --branch-history shows it.
//
//   callee order   newest branch: to, from; …; oldest branch: to, from; callers from the inside out
//   caller order   oldest branch: to, from; …; newest branch: to, from; callers from the outside in
//
// A loop that the stack holds several times is there once; the branch behind it says how often it was left out. The
// order, what counts as a loop, and that each branch shown takes the place of one caller, is linux-perf's.
#pragma once
#include <span>
#include <vector>

#include "abi/sample.h"
#include "analysis/hist/chain/branch_sums.h"
#include "analysis/hist/row/row_table.h"

namespace peregrine {

struct BranchEnd {
  u64 address = 0;
  BranchSums sums;  // of this one sample
};

struct BranchHistory {
  std::vector<BranchEnd> ends;   // in the order above
  std::span<const u64> callers;  // the part of the callchain that follows, as recorded: innermost first
  u64 context = 0;               // the marker that holds at its begin; 0: none does
};

// `history` is filled; its callers are of `callchain`.
void make_branch_history(std::span<const abi::BranchEntry> newest_first, std::span<const u64> callchain,
                         ChainOrder order, unsigned max_stack, BranchHistory& history);

}  // namespace peregrine
