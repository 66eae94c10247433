#include "probe/argument_gaps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(ArgumentGaps, HaveAPlaceholderOfTheTypeElsewhere) {
  std::vector<TraceProbe> probes(2);
  probes[0].arguments = {{"n", "%di", "s16"}, {}, {"s", "+0(%si)", "ustring"}};
  probes[1].arguments = {{}, {"r", "%ax", "u8"}, {}};
  fill_argument_gaps(probes);
  const std::vector<TraceArgument> first{
      {"n", "%di", "s16"}, {"r", "\\0xdeade12d", "u8"}, {"s", "+0(%si)", "ustring"}, {"__unavailable", "\\0x2", "x64"}};
  const std::vector<TraceArgument> second{
      {"n", "\\0xdeade12d", "s16"}, {"r", "%ax", "u8"}, {"s", "\\\"?\"", "string"}, {"__unavailable", "\\0x5", "x64"}};
  EXPECT_EQ(probes[0].arguments, first);
  EXPECT_EQ(probes[1].arguments, second);
  EXPECT_TRUE(is_unavailable_mask(first[3]));
  EXPECT_FALSE(is_unavailable_mask(first[1]));
}

TEST(ArgumentGaps, HaveNoMaskWithoutGaps) {
  std::vector<TraceProbe> probes(2);
  for (TraceProbe& probe : probes) probe.arguments = {{"n", "%di", "s16"}};
  fill_argument_gaps(probes);
  EXPECT_EQ(probes[0].arguments.size(), 1u);
}

TEST(ArgumentGaps, HaveASecondMaskBehind64Arguments) {
  std::vector<TraceProbe> probes(2);
  for (TraceProbe& probe : probes)
    for (int i = 0; i < 66; ++i) probe.arguments.push_back({fmt::format("a{}", i), "%di", "u64"});
  probes[1].arguments[65] = {};
  fill_argument_gaps(probes);
  ASSERT_EQ(probes[1].arguments.size(), 67u);
  EXPECT_EQ(probes[1].arguments[66], (TraceArgument{"__unavailable64", "\\0x2", "x64"}));
  EXPECT_EQ(probes[0].arguments[66], (TraceArgument{"__unavailable64", "\\0x0", "x64"}));
}

}  // namespace
}  // namespace peregrine
