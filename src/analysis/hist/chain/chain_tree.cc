#include "analysis/hist/chain/chain_tree.h"

#include <algorithm>
#include <cstddef>

#include "base/types.h"

namespace peregrine {

u32 ChainTree::depth(ChainId id) const {
  u32 result = 0;
  for (; id != kRootChain; id = parent(id)) ++result;
  return result;
}

std::vector<HistFrameId> ChainTree::frames(ChainId id) const {
  std::vector<HistFrameId> result;
  for (; id != kRootChain; id = parent(id)) result.push_back(frame(id));
  std::ranges::reverse(result);
  return result;
}

std::vector<ChainId> ChainTree::merge(const ChainTree& other, std::span<const HistFrameId> frame_map) {
  std::vector<ChainId> ids(other.nodes_.size());
  ids[0] = kRootChain;
  for (std::size_t at = 1; at < other.nodes_.size(); ++at) {
    // The index exceeds the CPU caches, so prefetch its slots. The parent of a node far ahead is mostly known.
    constexpr std::size_t kAhead = 16;
    if (at + kAhead < other.nodes_.size()) {
      const Node& later = other.nodes_[at + kAhead];
      if (later.parent < at) index_.prefetch(hash({ids[later.parent].value, frame_map[later.frame].value}));
    }
    const Node& node = other.nodes_[at];
    ids[at] = child(ids[node.parent], frame_map[node.frame]);
  }
  return ids;
}

}  // namespace peregrine
