#include "analysis/hist/chain/chain_children.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>

#include "analysis/hist/chain/hist_frame.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ChainId chain_of_numbers(ChainTree& tree, std::initializer_list<u32> frames) {
  ChainId at = kRootChain;
  for (const u32 frame : frames) at = tree.child(at, HistFrameId(frame));
  return at;
}

TEST(ChainChildren, ListTheChildrenOfEachNodeById) {
  ChainTree tree;
  const u32 ab = chain_of_numbers(tree, {1, 2}).value;
  const u32 abc = chain_of_numbers(tree, {1, 2, 3}).value;
  const u32 d = chain_of_numbers(tree, {4}).value;
  const u32 abe = chain_of_numbers(tree, {1, 2, 5}).value;
  const u32 a = tree.parent(ChainId(ab)).value;
  const ChainChildren children(tree);
  EXPECT_THAT(children.of(kRootChain.value), ElementsAre(a, d));
  EXPECT_THAT(children.of(a), ElementsAre(ab));
  EXPECT_THAT(children.of(ab), ElementsAre(abc, abe));
  EXPECT_THAT(children.of(abe), IsEmpty());
}

TEST(ChainChildren, AnEmptyTreeIsARootWithoutChildren) { EXPECT_THAT(ChainChildren(ChainTree()).of(0), IsEmpty()); }

TEST(ChainChildren, EachNodeButTheRootIsOneChild) {
  ChainTree tree;
  for (u32 at = 0; at < 500; ++at) chain_of_numbers(tree, {at % 3, at % 7, at % 11, at % 2});
  const ChainChildren children(tree);
  std::vector<u32> seen(tree.size());
  for (u32 node = 0; node < tree.size(); ++node)
    for (const u32 child : children.of(node)) {
      ++seen[child];
      EXPECT_EQ(tree.parent(ChainId(child)).value, node);
      EXPECT_GT(child, node) << "a parent's id is smaller";
    }
  EXPECT_EQ(seen[0], 0u);
  EXPECT_EQ(std::count(seen.begin() + 1, seen.end(), 1u), static_cast<std::ptrdiff_t>(tree.size()) - 1);
}

TEST(ChainTree, KeepsAllThatWasAddedWhenItsIndexIsFreed) {
  ChainTree tree;
  const ChainId deep = chain_of_numbers(tree, {1, 2, 3});
  tree.freeze();
  EXPECT_EQ(tree.depth(deep), 3u);
  EXPECT_THAT(tree.frames(deep), ElementsAre(HistFrameId(1), HistFrameId(2), HistFrameId(3)));
  EXPECT_THAT(tree.frames(kRootChain), IsEmpty());
}

TEST(ChainTree, MergingTwiceAddsNothing) {
  ChainTree one, other;
  for (u32 at = 0; at < 100; ++at) chain_of_numbers(other, {at % 5, at % 9});
  std::vector<HistFrameId> same;
  for (u32 at = 0; at < 9; ++at) same.emplace_back(at);
  const std::vector<ChainId> first = one.merge(other, same);
  const std::size_t size = one.size();
  EXPECT_EQ(size, other.size());
  EXPECT_EQ(one.merge(other, same), first);
  EXPECT_EQ(one.size(), size);
}

// Two frames in the other tree may be one frame here, if the merged tables give their functions one id.
TEST(ChainTree, MergeJoinsChainsThatBecomeEqual) {
  ChainTree one, other;
  const ChainId a = chain_of_numbers(other, {0, 2}), b = chain_of_numbers(other, {1, 2});
  const std::vector<ChainId> ids = one.merge(other, std::vector{HistFrameId(5), HistFrameId(5), HistFrameId(6)});
  EXPECT_EQ(ids[a.value], ids[b.value]);
  EXPECT_EQ(one.size(), 3u);
}

TEST(HistFrameTable, OneFrameHasOneId) {
  HistFrameTable frames;
  const HistFrame base{.dso = 1, .symbol = 2, .address = 3};
  const HistFrameId id = frames.intern(base);
  EXPECT_EQ(frames.intern(base), id);
  HistFrame moved = base;
  moved.dso_address = 77;
  EXPECT_EQ(frames.intern(moved), id) << "where an address is in the file does not tell frames apart";
  const struct Case {
    const char* name;
    HistFrame frame;
  } others[] = {
      {"dso", {.dso = 9, .symbol = 2, .address = 3}},
      {"symbol", {.dso = 1, .symbol = 9, .address = 3}},
      {"address", {.dso = 1, .symbol = 2, .address = 9}},
      {"inlined", {.dso = 1, .symbol = 2, .address = 3, .inlined = 9}},
      {"line", {.dso = 1, .symbol = 2, .address = 3, .line = 9}},
      {"level", {.dso = 1, .symbol = 2, .address = 3, .level = 'k'}},
      {"no dso", {.symbol = 2, .address = 3}},
  };
  for (const Case& each : others) EXPECT_NE(frames.intern(each.frame), id) << each.name;
  EXPECT_EQ(frames.size(), 1 + std::size(others));
  EXPECT_EQ(frames[id].address, 3u);
}

}  // namespace
}  // namespace peregrine
