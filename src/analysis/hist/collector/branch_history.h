// BranchHistory: puts a sample's branch stack before its callchain, as in report --branch-history.
//
//   callee order   newest branch: to, from; …; oldest branch: to, from; callers from the inside out
//   caller order   oldest branch: to, from; …; newest branch: to, from; callers from the outside in
//
// A loop that appears several times in the stack is kept once; the branch after it counts the omitted iterations. As in
// linux-perf: the order, the detection of loops, and that each branch shown replaces one caller.
#pragma once
#include <span>
#include <vector>

#include "abi/sample.h"
#include "analysis/hist/chain/branch_sums.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

struct BranchEnd {
  u64 address = 0;
  BranchSums sums;  // of this sample only
};

struct BranchHistory {
  std::vector<BranchEnd> ends;   // in the order above
  std::span<const u64> callers;  // the rest of the callchain, as recorded: innermost first
  u64 context = 0;               // the context marker in effect at its start; 0: none
};

// Fills `history`; its callers point into `callchain`.
void make_branch_history(std::span<const abi::BranchEntry> newest_first, std::span<const u64> callchain,
                         ChainOrder order, unsigned max_stack, BranchHistory& history);

}  // namespace peregrine
