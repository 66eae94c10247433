#include "analysis/diff/block_comparison.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

CycleCounts counts(std::initializer_list<u64> cycles) {
  CycleCounts result;
  for (const u64 each : cycles) result.add(each, 1);
  return result;
}

TEST(CycleCounts, MeanAndVarianceOfTheRuns) {
  const CycleCounts some = counts({4, 8, 6, 6});
  EXPECT_EQ(some.counts.size(), 3u);
  EXPECT_EQ(some.times(), 4u);
  EXPECT_EQ(some.mean(), 6u);
  EXPECT_NEAR(some.variance(), 8.0 / 3, 1e-9);
  EXPECT_EQ(counts({5}).variance(), 0);
  EXPECT_EQ(CycleCounts().mean(), 0u);
}

TEST(ComparedBlock, ErrorIsThatOfTheChangeNotOfARun) {
  const ComparedBlock block{.sides = {counts({10, 10, 10, 14}), counts({20, 20, 24, 24})}};
  EXPECT_EQ(block.change(1), 11);
  // √(4/4 + 5.333/4) = 1.5275, of 11.
  EXPECT_NEAR(block.error(1), 13.89, 0.01);
  const ComparedBlock equal{.sides = {counts({10}), counts({10})}};
  EXPECT_EQ(equal.error(1), 0);
}

}  // namespace
}  // namespace peregrine
