#include "analysis/field/latency_map.h"

#include <gtest/gtest.h>

#include <numeric>

namespace peregrine {
namespace {

u64 sum(const std::vector<u64>& values) { return std::accumulate(values.begin(), values.end(), u64{0}); }

TEST(LatencyMap, CountsEveryPairOnce) {
  std::vector<PairPoint> points;
  for (u64 at = 0; at < 1000; ++at) points.push_back({1'000'000 + at * 1000, 100 + at % 7 * 10});
  const LatencyMap map = make_latency_map(points, {.columns = 10, .rows = 20});
  EXPECT_EQ(map.pairs, 1000u);
  EXPECT_EQ(sum(map.counts) + sum(map.outliers), 1000u);
  EXPECT_EQ(map.columns, 10u);
  EXPECT_EQ(map.step, 100'000u);
  EXPECT_FALSE(map.logarithmic);
  EXPECT_EQ(map.bounds.front(), 0u);
  EXPECT_EQ(map.bounds.back(), 200u);
  EXPECT_EQ(map.lines[0].whole, 130u);
  EXPECT_EQ(map.lines[2].whole, 160u);
}

TEST(LatencyMap, UsesALogarithmicScaleForWideRanges) {
  std::vector<PairPoint> points;
  for (u64 at = 0; at < 1000; ++at) points.push_back({at, at % 2 == 0 ? 900u : 4'000'000u});
  const LatencyMap map = make_latency_map(points);
  EXPECT_TRUE(map.logarithmic);
  EXPECT_EQ(map.bounds.front(), 500u);
  EXPECT_EQ(map.bounds.back(), 5'000'000u);
  EXPECT_EQ(sum(map.outliers), 0u);
}

TEST(LatencyMap, OneOutlierDoesNotSpoilTheScale) {
  std::vector<PairPoint> points(5000, PairPoint{.time = 10, .took = 1000});
  points.push_back({10, 9'000'000'000});
  const LatencyMap map = make_latency_map(points);
  EXPECT_LE(map.bounds.back(), 2000u);
  EXPECT_EQ(sum(map.outliers), 1u);
  EXPECT_EQ(map.most, 9'000'000'000u);
  EXPECT_EQ(map.columns, 1u);
}

TEST(LatencyMap, OfNothingIsNothing) { EXPECT_EQ(make_latency_map({}).columns, 0u); }

TEST(LatencyMap, PairsOfNoTimeStandInTheLowestRow) {
  const std::vector<PairPoint> points(3, PairPoint{5, 0});
  const LatencyMap map = make_latency_map(points);
  EXPECT_EQ(map.count(0, 0), 3u);
}

}  // namespace
}  // namespace peregrine
