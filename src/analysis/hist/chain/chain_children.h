// ChainChildren: child lists for a ChainTree, where nodes know only their parents.
//
// Built once, when the tree no longer changes; 8 bytes per node. Empty until built.
#pragma once
#include <span>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "base/types.h"

namespace peregrine {

class ChainChildren {
 public:
  ChainChildren() = default;
  explicit ChainChildren(const ChainTree& chains);

  // A node's children, ordered by id.
  std::span<const u32> of(u32 node) const {
    return std::span(list_).subspan(start_[node], start_[node + 1] - start_[node]);
  }

 private:
  std::vector<u32> start_, list_;
};

}  // namespace peregrine
