// CallerSums: of the chains that pass through each node of a chain tree, their sums: the samples of one group are
// summed up the tree, so that a node that many chains share is passed once, not once for each of them.
//
//   main ▸ run ▸ read   5          main 12  ─ run 12 ─┬─ read  5
//   main ▸ run ▸ write  7    ⟶                        └─ write 7
//
// Fed with one group after the other: add() its entries, then sum_up().
#pragma once
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_table.h"

namespace peregrine {

class CallerSums {
 public:
  struct Node {
    u64 period = 0;
    u32 first = 0xffffffffu;  // ordinal of the first sample that passes
    u32 entry = 0;            // and whose it is
    u32 below = 0;            // frames of the longest chain from this one on inwards
    u32 waiting = 0;          // children that are not summed up yet
  };

  // Both outlive it.
  CallerSums(const ChainTree& chains, const FaceTable& faces);

  // An entry with a chain; `at`: its place among the entries.
  void add(const HistEntry& entry, u32 at);
  // Calls visit(node, sums) for each node that chains pass, callees before their callers; then begins anew.
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

  // No frame of that face is above the node.
  bool outermost(u32 node) const { return outermost_[node]; }
  // Frames from the outermost one to this one.
  u32 depth(u32 node) const { return depths_[node]; }

 private:
  static constexpr u32 kDone = 0xffffffffu;
  // Whether all of the caller's children have now been summed up.
  bool hand_up(u32 from, u32 to);

  const ChainTree& chains_;
  std::vector<Node> nodes_;
  std::vector<u32> seen_;  // by node: the round that touched it
  std::vector<u32> touched_;
  u32 round_ = 1;
  std::vector<bool> outermost_;
  std::vector<u32> depths_;
};

}  // namespace peregrine
