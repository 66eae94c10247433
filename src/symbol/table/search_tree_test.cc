#include "symbol/table/search_tree.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace peregrine {
namespace {

// A tree of these ranges, inserted in order.
SearchTree tree_of(std::span<const SymbolRange> ranges) {
  SearchTree tree(ranges);
  for (u32 i = 0; i < ranges.size(); ++i) tree.insert(i);
  return tree;
}

TEST(SearchTrees, FindTheRangeThatCoversAnAddress) {
  const SymbolRange ranges[] = {{0x30, 0x40}, {0x10, 0x20}, {0x50, 0x60}};
  const SearchTree tree = tree_of(ranges);
  EXPECT_EQ(tree.find(0x10), 1u);
  EXPECT_EQ(tree.find(0x3f), 0u);
  EXPECT_EQ(tree.find(0x50), 2u);
  EXPECT_EQ(tree.find(0x20), SearchTree::kNone) << "ends are exclusive";
  EXPECT_EQ(tree.find(0x0f), SearchTree::kNone);
}

TEST(SearchTrees, AnEmptyRangeCoversItsStart) {
  const SymbolRange ranges[] = {{0x10, 0x10}};
  EXPECT_EQ(tree_of(ranges).find(0x10), 0u);
  EXPECT_EQ(tree_of(ranges).find(0x11), SearchTree::kNone);
}

// If ranges overlap, the one nearest to the root is found, which depends on the order of insertion.
TEST(SearchTrees, TheOrderOfInsertionDecidesBetweenOverlappingRanges) {
  const SymbolRange outer_first[] = {{0x10, 0x40}, {0x20, 0x30}}, inner_first[] = {{0x20, 0x30}, {0x10, 0x40}};
  EXPECT_EQ(tree_of(outer_first).find(0x28), 0u) << "the outer one";
  EXPECT_EQ(tree_of(inner_first).find(0x28), 0u) << "the inner one";
}

TEST(SearchTrees, ErasedRangesAreGone) {
  const SymbolRange ranges[] = {{0x10, 0x20}, {0x20, 0x30}, {0x30, 0x40}};
  SearchTree tree = tree_of(ranges);
  tree.erase(1);
  EXPECT_EQ(tree.find(0x28), SearchTree::kNone);
  EXPECT_EQ(tree.find(0x18), 0u);
  EXPECT_EQ(tree.find(0x38), 2u);
  tree.erase(0);
  tree.erase(2);
  EXPECT_EQ(tree.find(0x18), SearchTree::kNone);
  tree.insert(0);
  EXPECT_EQ(tree.find(0x18), 0u);
}

// Rotations must not lose ranges: disjoint ranges are found whatever the order of insertions and removals.
TEST(SearchTrees, DisjointRangesAreFoundAfterAnyHistory) {
  constexpr u32 kRanges = 300;
  std::vector<SymbolRange> ranges;
  for (u32 i = 0; i < kRanges; ++i) ranges.push_back({i * 16, i * 16 + 8});
  SearchTree tree(ranges);
  std::vector<bool> inside(kRanges);
  std::mt19937 random(7);
  for (int step = 0; step < 3000; ++step) {
    const u32 node = random() % kRanges;
    inside[node] ? tree.erase(node) : tree.insert(node);
    inside[node] = !inside[node];
    const u32 asked = random() % kRanges;
    ASSERT_EQ(tree.find(asked * 16 + 7), inside[asked] ? asked : SearchTree::kNone) << "after step " << step;
  }
}

}  // namespace
}  // namespace peregrine
