// SearchTree: decides which of several overlapping symbols linux-perf would find.
//
// linux-perf keeps symbols in a red-black tree ordered by start and takes the first one on the way down that covers the
// address. With overlaps, the result depends on the tree's shape, and so on the order of insertions and removals; this
// class replays them (textbook insertion and removal, as in the kernel). Used only when building a table with
// overlapping symbols. 80-150 ns per insertion.
#pragma once
#include <span>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct SymbolRange {
  u64 start = 0;
  u64 end = 0;
  // An empty range covers its start address.
  bool covers(u64 address) const { return address >= start && (address < end || address == start); }
};

class SearchTree {
 public:
  static constexpr u32 kNone = 0xffffffffu;

  // Nodes are indices into `ranges`; a range's start must not change while it is in the tree.
  explicit SearchTree(std::span<const SymbolRange> ranges);
  void insert(u32 node);
  void erase(u32 node);
  u32 find(u64 address) const;

 private:
  enum Side : u8 { kLeft, kRight };
  struct Node {
    u32 child[2] = {kNone, kNone};
    u32 parent = kNone;
    bool red = false;
  };

  bool is_red(u32 node) const { return node != kNone && nodes_[node].red; }
  Side side_of(u32 node) const { return nodes_[nodes_[node].parent].child[kRight] == node ? kRight : kLeft; }
  void replace_child(u32 parent, u32 old_child, u32 new_child);
  void rotate(u32 node, Side side);
  void balance_after_insert(u32 node);
  void balance_after_erase(u32 parent, u32 node);

  std::span<const SymbolRange> ranges_;
  std::vector<Node> nodes_;
  u32 root_ = kNone;
};

}  // namespace peregrine
