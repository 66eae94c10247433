// ChainTree: a prefix tree of callchains, outermost frame first, so that equal stacks have equal 32-bit ids.
//
// A node takes 8 bytes and its index slot 6.4 to 13. Node 0 is the root, the empty chain; a parent's id is smaller than
// its children's. One tree per worker; merge() joins them by content.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/flat_index.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/container/id.h"
#include "base/types.h"

namespace peregrine {

using ChainId = Id<struct ChainTag>;
inline constexpr ChainId kRootChain{0};

class ChainTree {
 public:
  ChainTree() : nodes_(1) {}

  // The chain `parent` extended by `frame` as the new innermost frame.
  ChainId child(ChainId parent, HistFrameId frame) {
    const Node node{parent.value, frame.value};
    const u32 id = index_.find_or_add(
        hash(node), static_cast<u32>(nodes_.size()), [&](u32 row) { return nodes_[row] == node; },
        [&](u32 row) { return hash(nodes_[row]); });
    if (id == nodes_.size()) nodes_.push_back(node);
    return ChainId(id);
  }
  // The chain of these frames.
  ChainId insert(std::span<const HistFrameId> outermost_first) {
    ChainId at = kRootChain;
    for (const HistFrameId frame : outermost_first) at = child(at, frame);
    return at;
  }

  // Not for the root.
  ChainId parent(ChainId id) const { return ChainId(nodes_[id.value].parent); }
  HistFrameId frame(ChainId id) const { return HistFrameId(nodes_[id.value].frame); }

  u32 depth(ChainId id) const;
  // The frames of a chain, outermost first.
  std::vector<HistFrameId> frames(ChainId id) const;

  // Adds all chains of `other`; its frame f is frame_map[f] here. Returns their ids in this tree.
  std::vector<ChainId> merge(const ChainTree& other, std::span<const HistFrameId> frame_map);

  // Number of nodes including the root.
  std::size_t size() const { return nodes_.size(); }
  std::size_t memory_bytes() const { return nodes_.capacity() * sizeof(Node) + index_.memory_bytes(); }
  // Frees the insertion index; nothing can be added afterwards.
  void freeze() { index_.release(); }

 private:
  struct Node {
    u32 parent = 0;
    u32 frame = HistFrameId::kNone;
    friend bool operator==(const Node&, const Node&) = default;
  };
  static u64 hash(const Node& node) { return mix_bits(u64{node.parent} << 32 | node.frame); }

  std::vector<Node> nodes_;
  FlatIndex index_;
};

}  // namespace peregrine
