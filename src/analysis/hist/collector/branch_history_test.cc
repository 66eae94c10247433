#include "analysis/hist/collector/branch_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/record.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

abi::BranchEntry branch(u64 from, u64 to, u16 cycles = 0) {
  abi::BranchEntry entry{.from = from, .to = to, .cycles = cycles};
  entry.predicted = true;
  return entry;
}

std::vector<u64> addresses(const BranchHistory& history) {
  std::vector<u64> result;
  for (const BranchEnd& end : history.ends) result.push_back(end.address);
  return result;
}

BranchHistory make(std::vector<abi::BranchEntry> newest_first, std::span<const u64> chain, ChainOrder order,
                   unsigned most = 127) {
  BranchHistory history;
  make_branch_history(newest_first, chain, order, most, history);
  return history;
}

TEST(BranchHistory, TheOrderSaysWhichBranchComesFirst) {
  const std::vector<abi::BranchEntry> branches{branch(30, 40), branch(10, 20)};
  EXPECT_THAT(addresses(make(branches, {}, ChainOrder::Callee)), ElementsAre(40, 30, 20, 10));
  EXPECT_THAT(addresses(make(branches, {}, ChainOrder::Caller)), ElementsAre(20, 10, 40, 30));
  EXPECT_THAT(addresses(make(branches, {}, ChainOrder::Callee, 1)), ElementsAre(40, 30));
}

TEST(BranchHistory, ALoopIsThereOnceAndTheBranchBehindItCountsItsRounds) {
  const BranchHistory history =
      make({branch(2, 1, 5), branch(4, 3, 6), branch(2, 1, 7), branch(4, 3, 8), branch(9, 9)}, {}, ChainOrder::Callee);
  EXPECT_THAT(addresses(history), ElementsAre(1, 2, 3, 4, 9, 9));
  EXPECT_EQ(history.ends[5].sums.rounds, 1u);
  EXPECT_EQ(history.ends[5].sums.round_cycles, 15u);
  EXPECT_EQ(history.ends[1].sums.rounds, 0u);
}

TEST(BranchHistory, BranchesTakeThePlaceOfCallers) {
  const std::vector<u64> chain{abi::kContextUser, 0x105, 0x205, 0x305, 0x405};
  // The call at 0x100 returns to 0x105, so its branch already covers that caller.
  const BranchHistory callee = make({branch(0x300, 0x900), branch(0x100, 0x301)}, chain, ChainOrder::Callee);
  EXPECT_THAT(callee.callers, ElementsAre(0x205));
  EXPECT_EQ(callee.context, abi::kContextUser);
  const BranchHistory caller = make({branch(0x300, 0x900), branch(0x100, 0x301)}, chain, ChainOrder::Caller);
  EXPECT_THAT(caller.callers, ElementsAre(0x205, 0x305, 0x405));
  EXPECT_EQ(caller.context, abi::kContextUser);
}

TEST(BranchHistory, DeeperThanAnyProcessorRecordsIsDamage) {
  const std::vector<u64> chain{0x100};
  const BranchHistory history = make(std::vector<abi::BranchEntry>(200, branch(1, 2)), chain, ChainOrder::Callee);
  EXPECT_THAT(history.ends, IsEmpty());
  EXPECT_THAT(history.callers, ElementsAre(0x100));
}

}  // namespace
}  // namespace peregrine
