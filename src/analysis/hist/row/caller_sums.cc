#include "analysis/hist/row/caller_sums.h"

#include <algorithm>

#include "analysis/hist/row/chain_places.h"
#include "base/types.h"

namespace peregrine {

CallerSums::CallerSums(const ChainTree& chains, const FaceTable& faces)
    : chains_(chains),
      nodes_(chains.size()),
      seen_(chains.size()),
      outermost_(outermost_nodes(chains, faces)),
      depths_(chain_depths(chains)) {}

void CallerSums::add(const HistEntry& entry, u32 at) {
  u32 fresh = 0;  // 1 if the child was added in this walk
  u32 node = entry.chain;
  for (; node != kRootChain.value && seen_[node] != round_; node = chains_.parent(ChainId(node)).value) {
    seen_[node] = round_;
    nodes_[node] = {.waiting = fresh};
    touched_.push_back(node);
    fresh = 1;
  }
  if (node != kRootChain.value) nodes_[node].waiting += fresh;
  Node& own = nodes_[entry.chain];
  own.period += entry.period;
  own.below = std::max(own.below, 1u);
  if (entry.first < own.first) {
    own.first = entry.first;
    own.entry = at;
  }
}

bool CallerSums::hand_up(u32 from, u32 to) {
  Node& callee = nodes_[from];
  callee.waiting = kDone;
  if (to == kRootChain.value) return false;
  Node& caller = nodes_[to];
  caller.period += callee.period;
  caller.below = std::max(caller.below, callee.below + 1);
  if (callee.first < caller.first) {
    caller.first = callee.first;
    caller.entry = callee.entry;
  }
  return --caller.waiting == 0;
}

}  // namespace peregrine
