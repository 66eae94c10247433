#include "analysis/block/block_steps.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

using abi::BlockAction;

// A request of 8 sectors.
abi::BlktraceRecord step(BlockAction action, u64 time, u64 sector, u32 pid = 7) {
  abi::BlktraceRecord record;
  record.action = static_cast<u8>(action);
  record.traits = static_cast<u16>(abi::traits_of(action) | abi::block_trait::FileSystem);
  record.time = time;
  record.sector = sector;
  record.bytes = 4096;
  record.pid = pid;
  return record;
}

TEST(BlockSteps, TakeTheTimeSinceTheStepBefore) {
  BlockSteps steps;
  EXPECT_FALSE(steps.add(step(BlockAction::Queue, 100, 8)));
  EXPECT_FALSE(steps.add(step(BlockAction::GetRequest, 110, 8)));
  EXPECT_EQ(steps.add(step(BlockAction::Insert, 115, 8)).value().took, 5u);
  EXPECT_EQ(steps.add(step(BlockAction::Issue, 135, 8, 3)).value().took, 20u);
  const auto done = steps.add(step(BlockAction::Complete, 235, 8, 0));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->took, 100u);
  EXPECT_EQ(done->owner, 7u) << "the thread that got the request, not the interrupted one";
  EXPECT_FALSE(steps.add(step(BlockAction::Complete, 300, 8))) << "it has ended";
}

TEST(BlockSteps, NeedTheStepBefore) {
  BlockSteps steps;
  EXPECT_FALSE(steps.add(step(BlockAction::Issue, 100, 8)));
  EXPECT_FALSE(steps.add(step(BlockAction::Insert, 110, 16)));
  EXPECT_EQ(steps.add(step(BlockAction::Issue, 120, 16)).value().took, 10u);
}

TEST(BlockSteps, FollowARequestThatGrowsInFront) {
  BlockSteps steps;
  steps.add(step(BlockAction::GetRequest, 100, 16));
  steps.add(step(BlockAction::FrontMerge, 105, 8));
  EXPECT_EQ(steps.add(step(BlockAction::Insert, 110, 8)).value().took, 10u);
}

TEST(BlockSteps, ForgetRequestsWithoutAnEnd) {
  BlockSteps steps;
  for (u64 i = 0; i <= BlockSteps::kMostTracked + 1; ++i) steps.add(step(BlockAction::GetRequest, 100 + i, 8 * i));
  EXPECT_FALSE(steps.add(step(BlockAction::Insert, 1'000'000, 8)));
  EXPECT_TRUE(steps.add(step(BlockAction::Insert, 1'000'000, 8 * BlockSteps::kMostTracked)));
}

}  // namespace
}  // namespace peregrine
