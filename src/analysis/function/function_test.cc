#include <gtest/gtest.h>

#include <string>

#include "analysis/function/call_statistics.h"
#include "analysis/function/graph_line.h"
#include "base/types.h"

namespace peregrine {
namespace {

TEST(GraphLine, LinesThatEndCallsHaveADuration) {
  const auto leaf = parse_graph_line(" 0) + 65.918 us   |    rw_verify_area();");
  ASSERT_TRUE(leaf);
  EXPECT_EQ(leaf->duration, 65918u);
  EXPECT_EQ(leaf->function, "rw_verify_area");
  const auto closed = parse_graph_line(" 0) # 3520.782 us |  } /* vfs_read */");
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->duration, 3520782u);
  EXPECT_EQ(closed->function, "vfs_read");
  EXPECT_EQ(parse_graph_line(" 1)   0.046 us    |  } /* xfs_iget [xfs] */")->function, "xfs_iget");
  EXPECT_EQ(parse_graph_line(" 1)   0.046 us    |  }")->function, "");
  EXPECT_EQ(parse_graph_line("   9.000 us    |  f() /* = 0 */;")->function, "f");
  for (const char* other : {"", " 0)               |  vfs_read() {", " 0)  a-1  =>  b-2", "# CPU  DURATION | FUNCTION",
                            " 0) x us | f();", " 0) 1.5 us | f();", " us |"})
    EXPECT_FALSE(parse_graph_line(other)) << other;
}

TEST(GraphLine, LostEventsAreCounted) {
  EXPECT_EQ(lost_events("CPU:1 [LOST 1742 EVENTS]"), 1742u);
  EXPECT_EQ(lost_events(" 0) 1.500 us | lost();"), 0u);
}

TEST(FunctionProfile, SumsAndOrders) {
  FunctionProfile profile;
  profile.add("b", 10);
  profile.add("a", 4);
  profile.add("b", 30);
  profile.add("c", 35);
  const auto names = [&](FunctionOrder order) {
    std::string text;
    for (const FunctionCost& row : profile.rows(order)) text += row.function;
    return text;
  };
  EXPECT_EQ(names(FunctionOrder::Total), "bca");
  EXPECT_EQ(names(FunctionOrder::Average), "cba");
  EXPECT_EQ(names(FunctionOrder::Calls), "bac");
  EXPECT_EQ(names(FunctionOrder::Name), "abc");
  EXPECT_EQ(profile.rows(FunctionOrder::Total).front().average(), 20u);
}

TEST(DurationHistogram, PowersOfTwo) {
  DurationHistogram histogram(1000);
  for (const u64 duration : {u64{0}, u64{999}, u64{1000}, u64{3999}, u64{4000}, u64{1} << 50}) histogram.add(duration);
  const auto ranges = histogram.ranges();
  ASSERT_EQ(ranges.size(), DurationHistogram::kRanges);
  EXPECT_EQ(ranges[0].count, 2u);
  EXPECT_EQ(ranges[1].count, 1u);
  EXPECT_EQ(ranges[2].count, 1u);
  EXPECT_EQ(ranges[3].low, 4u);
  EXPECT_EQ(ranges[3].high, 8u);
  EXPECT_EQ(ranges[3].count, 1u);
  EXPECT_EQ(ranges.back().low, u64{1} << 20);
  EXPECT_EQ(ranges.back().count, 1u);
}

TEST(DurationHistogram, EqualWidthsBetweenBounds) {
  DurationHistogram histogram(1, 10, 100, 130);
  for (const u64 duration : {99, 100, 109, 110, 129, 130, 5000}) histogram.add(duration);
  const auto ranges = histogram.ranges();
  ASSERT_EQ(ranges.size(), 5u);
  EXPECT_EQ(ranges[0].count, 1u);
  EXPECT_EQ(ranges[1].low, 100u);
  EXPECT_EQ(ranges[1].count, 2u);
  EXPECT_EQ(ranges[3].count, 1u);
  EXPECT_EQ(ranges[4].low, 130u);
  EXPECT_EQ(ranges[4].count, 2u);
}

}  // namespace
}  // namespace peregrine
