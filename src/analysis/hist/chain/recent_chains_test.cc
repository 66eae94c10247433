#include "analysis/hist/chain/recent_chains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/record.h"
#include "analysis/hist/chain/hist_frame.h"

namespace peregrine {
namespace {

constexpr u64 kUser = abi::kContextUser, kKernel = abi::kContextKernel;

// A tree to which chains are added, using the part they share with the last one, and the number of addresses that
// saved.
struct Tree {
  ChainTree tree;
  RecentChains recent;

  std::size_t put(u64 context, const std::vector<u64>& chain, ChainId root = kRootChain) {
    const RecentChains::Shared shared = recent.find(context, chain, root);
    std::vector<ChainId> added;
    ChainId at = shared.node;
    for (std::size_t i = shared.from; i-- > 0;) {
      if (chain[i] < abi::kContextMax) at = tree.child(at, HistFrameId(static_cast<u32>(chain[i])));
      added.push_back(at);
    }
    recent.keep(context, chain, added);
    last = at;
    return chain.size() - shared.from;
  }
  // Outermost first, as in the tree.
  std::vector<u32> frames() const {
    std::vector<u32> result;
    for (const HistFrameId frame : tree.frames(last)) result.push_back(frame.value);
    return result;
  }
  ChainId last;
};

TEST(RecentChains, SharesTheOuterPartOfTheLastChain) {
  Tree tree;
  EXPECT_EQ(tree.put(1, {kUser, 40, 30, 20, 10}), 0u);
  // 20 is the callee in the shared part; with another callee, its line may differ.
  EXPECT_EQ(tree.put(1, {kUser, 50, 20, 10}), 1u);
  EXPECT_THAT(tree.frames(), ::testing::ElementsAre(10, 20, 50));
  EXPECT_EQ(tree.put(1, {kUser, 60, 50, 20, 10}), 2u);
  EXPECT_EQ(tree.put(1, {kUser, 60, 50, 20, 10}), 3u) << "all but the innermost";
  EXPECT_THAT(tree.frames(), ::testing::ElementsAre(10, 20, 50, 60));
  EXPECT_EQ(tree.put(1, {kUser, 10}), 0u) << "what is shorter shares nothing";
}

TEST(RecentChains, StandOnTheirRoot) {
  Tree tree;
  tree.put(1, {kUser, 20, 10});
  const ChainId root = tree.last;
  EXPECT_EQ(tree.put(2, {kKernel, 91, 90}, root), 0u);
  EXPECT_THAT(tree.frames(), ::testing::ElementsAre(10, 20, 90, 91));
  EXPECT_EQ(tree.put(2, {kKernel, 92, 91, 90}, root), 1u);
  EXPECT_THAT(tree.frames(), ::testing::ElementsAre(10, 20, 90, 91, 92));
}

TEST(RecentChains, OtherSpacesAreApart) {
  Tree tree;
  tree.put(1, {kUser, 30, 20, 10});
  EXPECT_EQ(tree.put(2, {kUser, 30, 20, 10}), 0u);
  EXPECT_EQ(tree.put(1, {kUser, 30, 20, 10}), 2u);
}

// The same addresses are different places in the kernel.
TEST(RecentChains, MarkersAreShared) {
  Tree tree;
  tree.put(1, {kKernel, 90, kUser, 30, 20, 10});
  EXPECT_EQ(tree.put(1, {kUser, 30, 20, 10}), 2u) << "below the same marker";
  EXPECT_EQ(tree.put(1, {kKernel, 30, 20, 10}), 0u);
  EXPECT_EQ(tree.put(1, {kKernel, 91, 30, 20, 10}), 2u);
  EXPECT_EQ(tree.put(1, {30, 20, 10}), 0u) << "no marker is the user's";
  EXPECT_EQ(tree.put(1, {kUser, 30, 20, 10}), 2u);
}

TEST(RecentChains, AMarkerIsNoCallee) {
  Tree tree;
  tree.put(1, {kKernel, 90, kUser, 20, 10});
  EXPECT_EQ(tree.put(1, {kKernel, 91, kUser, 20, 10}), 1u);
  EXPECT_THAT(tree.frames(), ::testing::ElementsAre(10, 20, 91));
  EXPECT_EQ(tree.put(1, {}), 0u);
  EXPECT_EQ(tree.put(1, {kUser}), 0u);
  EXPECT_EQ(tree.put(1, {kKernel, 91, kUser, 20, 10}), 0u);
}

}  // namespace
}  // namespace peregrine
