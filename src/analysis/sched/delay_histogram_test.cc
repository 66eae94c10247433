#include "analysis/sched/delay_histogram.h"

#include <gtest/gtest.h>

#include <numeric>

namespace peregrine {
namespace {

using Scale = DelayHistogram::Scale;

TEST(DelayHistogram, IsEmptyWithoutDelays) {
  EXPECT_TRUE(DelayHistogram(Scale::Log).ranges().empty());
  EXPECT_TRUE(DelayHistogram(Scale::Linear).ranges().empty());
}

TEST(DelayHistogram, DoublesLogRangesFromOneMicrosecond) {
  DelayHistogram histogram(Scale::Log);
  for (const u64 ns : {999, 1000, 1999, 2000, 8000}) histogram.add(ns);
  const auto ranges = histogram.ranges();
  ASSERT_EQ(ranges.size(), 5);
  EXPECT_EQ(ranges[0].from, 0);
  EXPECT_EQ(ranges[0].count, 1);
  EXPECT_EQ(ranges[1].from, 1000);
  EXPECT_EQ(ranges[1].to, 2000);
  EXPECT_EQ(ranges[1].count, 2);
  EXPECT_EQ(ranges[3].count, 0);  // 4 to 8 us: empty, but between non-empty ranges
  EXPECT_EQ(ranges[4].from, 8000);
}

TEST(DelayHistogram, WidensLinearRangesAndKeepsEveryDelay) {
  DelayHistogram histogram(Scale::Linear);
  for (u64 us = 0; us < 32; ++us) histogram.add(us * 1000);
  EXPECT_EQ(histogram.ranges().size(), 32);
  histogram.add(100'000);  // 100 us: ranges of 4 us
  const auto ranges = histogram.ranges();
  EXPECT_EQ(ranges[0].to, 4000);
  EXPECT_EQ(ranges[0].count, 4);
  EXPECT_EQ(ranges.back().from, 100'000);
  EXPECT_EQ(std::accumulate(ranges.begin(), ranges.end(), u64{0},
                            [](u64 sum, const DelayRange& range) { return sum + range.count; }),
            33);
}

TEST(DelayHistogram, TakesTheLongestTimes) {
  for (const Scale scale : {Scale::Log, Scale::Linear}) {
    DelayHistogram histogram(scale);
    histogram.add(~u64{0});
    EXPECT_EQ(histogram.ranges().size(), 1);
    EXPECT_EQ(histogram.total(), 1);
  }
}

}  // namespace
}  // namespace peregrine
