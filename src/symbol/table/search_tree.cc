#include "symbol/table/search_tree.h"

namespace peregrine {

SearchTree::SearchTree(std::span<const SymbolRange> ranges) : ranges_(ranges), nodes_(ranges.size()) {}

u32 SearchTree::find(u64 address) const {
  u32 node = root_;
  while (node != kNone && !ranges_[node].covers(address))
    node = nodes_[node].child[address < ranges_[node].start ? kLeft : kRight];
  return node;
}

void SearchTree::replace_child(u32 parent, u32 old_child, u32 new_child) {
  if (parent == kNone) {
    root_ = new_child;
  } else {
    nodes_[parent].child[nodes_[parent].child[kLeft] == old_child ? kLeft : kRight] = new_child;
  }
  if (new_child != kNone) nodes_[new_child].parent = parent;
}

// Moves `node` down to `side`; its child on the other side replaces it.
void SearchTree::rotate(u32 node, Side side) {
  const Side other = side == kLeft ? kRight : kLeft;
  const u32 pivot = nodes_[node].child[other];
  const u32 inner = nodes_[pivot].child[side];
  replace_child(nodes_[node].parent, node, pivot);
  nodes_[pivot].child[side] = node;
  nodes_[node].parent = pivot;
  nodes_[node].child[other] = inner;
  if (inner != kNone) nodes_[inner].parent = node;
}

// Insertion and removal follow the textbook step by step: another valid red-black tree may have a different shape, and
// with it find() a different symbol. A node with an equal start goes to the right.
void SearchTree::insert(u32 node) {
  u32 parent = kNone;
  Side side = kLeft;
  for (u32 next = root_; next != kNone; next = nodes_[parent].child[side]) {
    parent = next;
    side = ranges_[node].start < ranges_[next].start ? kLeft : kRight;
  }
  nodes_[node] = Node{.child = {kNone, kNone}, .parent = parent, .red = true};
  if (parent == kNone) {
    root_ = node;
  } else {
    nodes_[parent].child[side] = node;
  }
  balance_after_insert(node);
}

void SearchTree::balance_after_insert(u32 node) {
  while (is_red(nodes_[node].parent)) {
    u32 parent = nodes_[node].parent;
    const u32 grand = nodes_[parent].parent;  // exists: the root is black
    const Side side = side_of(parent);
    const Side other = side == kLeft ? kRight : kLeft;
    const u32 uncle = nodes_[grand].child[other];
    if (is_red(uncle)) {
      nodes_[parent].red = nodes_[uncle].red = false;
      nodes_[grand].red = true;
      node = grand;
      continue;
    }
    if (side_of(node) != side) {
      rotate(parent, side);
      parent = node;
    }
    nodes_[parent].red = false;
    nodes_[grand].red = true;
    rotate(grand, other);
    break;
  }
  nodes_[root_].red = false;
}

void SearchTree::erase(u32 node) {
  const Node gone = nodes_[node];
  if (gone.child[kLeft] == kNone || gone.child[kRight] == kNone) {
    const u32 child = gone.child[kLeft] != kNone ? gone.child[kLeft] : gone.child[kRight];
    replace_child(gone.parent, node, child);
    if (!gone.red) balance_after_erase(gone.parent, child);
    return;
  }
  u32 successor = gone.child[kRight];
  while (nodes_[successor].child[kLeft] != kNone) successor = nodes_[successor].child[kLeft];
  const u32 child = nodes_[successor].child[kRight];
  const bool was_red = nodes_[successor].red;
  u32 hole = nodes_[successor].parent;
  if (hole == node) {
    hole = successor;
  } else {
    replace_child(hole, successor, child);
    nodes_[successor].child[kRight] = gone.child[kRight];
    nodes_[gone.child[kRight]].parent = successor;
  }
  nodes_[successor].child[kLeft] = gone.child[kLeft];
  nodes_[gone.child[kLeft]].parent = successor;
  replace_child(gone.parent, node, successor);
  nodes_[successor].red = gone.red;
  if (!was_red) balance_after_erase(hole, child);
}

// Restores the balance after the subtree `node` (possibly empty) of `parent` has lost one black node.
void SearchTree::balance_after_erase(u32 parent, u32 node) {
  while (parent != kNone && !is_red(node)) {
    const Side side = nodes_[parent].child[kLeft] == node ? kLeft : kRight;
    const Side other = side == kLeft ? kRight : kLeft;
    u32 sibling = nodes_[parent].child[other];
    if (is_red(sibling)) {
      nodes_[sibling].red = false;
      nodes_[parent].red = true;
      rotate(parent, side);
      sibling = nodes_[parent].child[other];
    }
    if (!is_red(nodes_[sibling].child[kLeft]) && !is_red(nodes_[sibling].child[kRight])) {
      nodes_[sibling].red = true;
      node = parent;
      parent = nodes_[node].parent;
      continue;
    }
    if (!is_red(nodes_[sibling].child[other])) {
      nodes_[nodes_[sibling].child[side]].red = false;
      nodes_[sibling].red = true;
      rotate(sibling, other);
      sibling = nodes_[parent].child[other];
    }
    nodes_[sibling].red = nodes_[parent].red;
    nodes_[parent].red = false;
    nodes_[nodes_[sibling].child[other]].red = false;
    rotate(parent, side);
    return;
  }
  if (node != kNone) nodes_[node].red = false;
}

}  // namespace peregrine
