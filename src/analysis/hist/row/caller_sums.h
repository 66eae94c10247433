// CallerSums: the sums of all chains through each node of a chain tree. The samples of a group are summed up the tree,
// so that a shared node is visited once rather than once per chain.
//
//   main ▸ run ▸ read   5          main 12  ─ run 12 ─┬─ read  5
//   main ▸ run ▸ write  7    ⟶                        └─ write 7
//
// Process one group at a time: add() its entries, then sum_up().
#pragma once
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_table.h"
#include "base/types.h"

namespace peregrine {

class CallerSums {
 public:
  struct Node {
    u64 period = 0;
    u32 first = 0xffffffffu;  // ordinal of the first sample through it
    u32 entry = 0;            // the entry of that sample
    u32 below = 0;            // longest chain from here inwards, in frames
    u32 waiting = 0;          // children not yet summed up
  };

  // Both must outlive this.
  CallerSums(const ChainTree& chains, const FaceTable& faces);

  // Adds an entry with a chain; `at`: its index.
  void add(const HistEntry& entry, u32 at);
  // Calls visit(node, sums) for each node on a chain, callees before callers, then resets.
  template <class Visit>
  void sum_up(const Visit& visit) {
    for (const u32 start : touched_) {
      if (nodes_[start].waiting != 0) continue;
      for (u32 at = start;;) {
        visit(at, nodes_[at]);
        const u32 up = chains_.parent(ChainId(at)).value;
        if (!hand_up(at, up)) break;
        at = up;
      }
    }
    touched_.clear();
    ++round_;
  }

  // Whether no ancestor of the node has its face.
  bool outermost(u32 node) const { return outermost_[node]; }
  // Number of frames from the outermost one to this one.
  u32 depth(u32 node) const { return depths_[node]; }

 private:
  static constexpr u32 kDone = 0xffffffffu;
  // Returns whether all the caller's children have been summed up.
  bool hand_up(u32 from, u32 to);

  const ChainTree& chains_;
  std::vector<Node> nodes_;
  std::vector<u32> seen_;  // by node: the last round that touched it
  std::vector<u32> touched_;
  u32 round_ = 1;
  std::vector<bool> outermost_;
  std::vector<u32> depths_;
};

}  // namespace peregrine
