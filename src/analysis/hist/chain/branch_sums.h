// BranchSums: what branch stacks say about one frame of chains that include branches (branch_history.h): how often it
// was a branch's end, and the properties of these branches.
#pragma once
#include "base/types.h"

namespace peregrine {

// Sums over the samples with the frame in their history. If `ends` is 0, it is a caller, not a branch's end.
struct BranchSums {
  u64 ends = 0;                      // samples with it as an end of a branch
  u64 predicted = 0, aborted = 0;    // branches to it
  u64 left = 0;                      // branches from it, except the first
  u64 cycles = 0;                    // of branches from it
  u64 rounds = 0, round_cycles = 0;  // omitted loop iterations before it
  u32 kinds = 0;                     // bits: abi's branch types, then kBranch…
  u32 first = 0, last = 0;           // indices of the first and the last sample
  bool target = false;               // whether it was a branch target in the last sample
  bool first_target = false;         // and in the first one

  // The order of additions does not matter.
  void add(const BranchSums& other);
  // The sums minus `part`, which is included in them.
  BranchSums without(const BranchSums& part) const;
};
inline constexpr u32 kBranchForward = 1u << 16, kBranchBackward = 1u << 17, kBranchCrosses2M = 1u << 18,
                     kBranchCrosses4K = 1u << 19;

}  // namespace peregrine
