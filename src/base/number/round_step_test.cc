#include "base/number/round_step.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(RoundStep, RoundsUpToOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_EQ(round_step(0), 1U);
  EXPECT_EQ(round_step(1), 1U);
  EXPECT_EQ(round_step(2), 2U);
  EXPECT_EQ(round_step(3), 5U);
  EXPECT_EQ(round_step(6), 10U);
  EXPECT_EQ(round_step(200), 200U);
  EXPECT_EQ(round_step(201), 500U);
  EXPECT_EQ(round_step(20'000'001), 50'000'000U);
}

TEST(RoundStep, KeepsValuesAboveTheLargestStep) {
  constexpr u64 kLargest = 500'000'000'000'000'000;
  EXPECT_EQ(round_step(kLargest - 1), kLargest);
  EXPECT_EQ(round_step(kLargest), kLargest);
  EXPECT_EQ(round_step(kLargest + 1), kLargest + 1);
  EXPECT_EQ(round_step(~u64{0}), ~u64{0});
}

}  // namespace
}  // namespace peregrine
