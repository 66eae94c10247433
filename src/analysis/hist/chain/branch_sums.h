// BranchSums: what the branch stacks of samples said of one frame of their chains, where chains have branches in them
// (branch_history.h): how often it was an end of a branch, and what of these branches is known.
#pragma once
#include "base/types.h"

namespace peregrine {

// Sums over the samples whose history has the place. No ends at all: a caller, no end of a branch.
struct BranchSums {
  u64 ends = 0;                      // samples that have it as an end of a branch
  u64 predicted = 0, aborted = 0;    // of those to which a branch led
  u64 left = 0;                      // of those that a branch left, all but the first
  u64 cycles = 0;                    // of branches that left
  u64 rounds = 0, round_cycles = 0;  // loops left out before it
  u32 kinds = 0;                     // bits: abi's types of branches, then kBranch…
  u32 last = 0;                      // ordinal of the last sample
  bool target = false;               // to which a branch led, at that sample

  void add(const BranchSums& other);
  // What is left without `part`, which is among the sums.
  BranchSums without(const BranchSums& part) const;
};
inline constexpr u32 kBranchForward = 1u << 16, kBranchBackward = 1u << 17, kBranchCrosses2M = 1u << 18,
                     kBranchCrosses4K = 1u << 19;

}  // namespace peregrine
