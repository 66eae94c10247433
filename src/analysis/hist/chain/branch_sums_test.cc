#include "analysis/hist/chain/branch_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace peregrine {
namespace {

// One sample's data about a frame: a branch came from it …
BranchSums left_in(u32 sample, u64 cycles = 0) {
  return {.ends = 1, .cycles = cycles, .first = sample, .last = sample};
}
// … or a branch led to it.
BranchSums reached_in(u32 sample, u64 predicted = 0, u64 aborted = 0, u32 kinds = 0) {
  return {.ends = 1,
          .predicted = predicted,
          .aborted = aborted,
          .kinds = kinds,
          .first = sample,
          .last = sample,
          .target = true,
          .first_target = true};
}
BranchSums sum_of_branches(const std::vector<BranchSums>& parts) {
  BranchSums sums;
  for (const BranchSums& part : parts) sums.add(part);
  return sums;
}
void expect_equal(const BranchSums& a, const BranchSums& b) {
  EXPECT_EQ(a.ends, b.ends);
  EXPECT_EQ(a.left, b.left);
  EXPECT_EQ(a.predicted, b.predicted);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.kinds, b.kinds);
  EXPECT_EQ(a.last, b.last);
  EXPECT_EQ(a.target, b.target);
}

TEST(BranchSums, AddUpOverSamples) {
  const BranchSums sums = sum_of_branches(
      {reached_in(1, 1, 0, kBranchForward), reached_in(2, 0, 1, kBranchCrosses4K), left_in(3, 40), left_in(4, 2)});
  EXPECT_EQ(sums.ends, 4u);
  EXPECT_EQ(sums.predicted, 1u);
  EXPECT_EQ(sums.aborted, 1u);
  EXPECT_EQ(sums.cycles, 42u);
  EXPECT_EQ(sums.kinds, kBranchForward | kBranchCrosses4K);
}

TEST(BranchSums, AFrameThatNoBranchReachedIsACaller) {
  BranchSums sums = sum_of_branches({BranchSums(), BranchSums()});
  EXPECT_EQ(sums.ends, 0u);
  sums.add(left_in(7, 3));
  sums.add(BranchSums());
  expect_equal(sums, left_in(7, 3));
}

// As in linux-perf, the first sample creates the frame, and only later samples count as leaving it.
TEST(BranchSums, CountBranchesFromAFrameAfterItsFirstSample) {
  EXPECT_EQ(sum_of_branches({left_in(1)}).left, 0u);
  EXPECT_EQ(sum_of_branches({left_in(1), left_in(2), left_in(3)}).left, 2u);
  EXPECT_EQ(sum_of_branches({reached_in(1), left_in(2), left_in(3)}).left, 2u);
  EXPECT_EQ(sum_of_branches({left_in(1), reached_in(2), reached_in(3)}).left, 0u);
}

TEST(BranchSums, TheLastSampleSaysWhichEndItIs) {
  EXPECT_TRUE(sum_of_branches({left_in(1), reached_in(2)}).target);
  EXPECT_FALSE(sum_of_branches({reached_in(1), left_in(2)}).target);
  EXPECT_TRUE(sum_of_branches({reached_in(2), left_in(1)}).target) << "the last in time, not the last one added";
}

// Workers count different samples of one frame and may be merged in any order.
TEST(BranchSums, DoNotDependOnWhoCountedWhat) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<BranchSums> samples;
    for (u32 at = 1; at <= 8; ++at) samples.push_back(random() % 2 == 0 ? left_in(at, at) : reached_in(at, at % 2));
    const BranchSums whole = sum_of_branches(samples);
    std::vector<BranchSums> workers(3);
    for (const BranchSums& sample : samples) workers[random() % workers.size()].add(sample);
    std::ranges::shuffle(workers, random);
    expect_equal(sum_of_branches(workers), whole);
    std::ranges::shuffle(samples, random);
    expect_equal(sum_of_branches(samples), whole);
  }
}

TEST(BranchSums, WithoutAPartAreTheRest) {
  const BranchSums part = sum_of_branches({left_in(1, 10), left_in(2, 20)});
  BranchSums whole = part;
  whole.add(left_in(3, 5));
  const BranchSums rest = whole.without(part);
  EXPECT_EQ(rest.ends, 1u);
  EXPECT_EQ(rest.left, 1u);
  EXPECT_EQ(rest.cycles, 5u);
  EXPECT_EQ(whole.without(whole).ends, 0u);
  EXPECT_EQ(whole.without(BranchSums()).cycles, 35u);
}

}  // namespace
}  // namespace peregrine
