#include "probe/argument/argument_gaps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

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

TraceProbe probe_of(std::size_t arguments) {
  TraceProbe probe{.group = "shop", .event = "order", .target = "/bin/x", .offset = 0x10};
  for (std::size_t i = 0; i < arguments; ++i) probe.arguments.push_back({fmt::format("a{}", i), "%di", "s32"});
  return probe;
}

// Two locations with this many arguments; the second lacks `gaps`.
Result<> check_with_gaps(std::size_t arguments, const std::vector<std::size_t>& gaps) {
  std::vector<TraceProbe> probes{probe_of(arguments), probe_of(arguments)};
  for (const std::size_t gap : gaps) probes[1].arguments[gap] = {};
  fill_argument_gaps(probes);
  return check_probe_line(probes[1]);
}

TEST(ProbeSize, TakesWhatTheKernelTakes) {
  EXPECT_TRUE(check_probe_line(probe_of(126)));
  EXPECT_TRUE(check_probe_line(probe_of(127)));
  EXPECT_TRUE(check_probe_line(probe_of(128)));
  const auto more = check_probe_line(probe_of(129));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message, "shop:order has 129 arguments; the kernel accepts at most 128");
}

TEST(ProbeSize, CountsMasksOfGaps) {
  EXPECT_TRUE(check_with_gaps(126, {0, 125}));  // one mask per 64 arguments
  EXPECT_TRUE(check_with_gaps(127, {126}));
  EXPECT_FALSE(check_with_gaps(128, {0}));
  EXPECT_TRUE(check_with_gaps(128, {}));
  const auto two = check_with_gaps(127, {0, 126});
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().message,
            "shop:order has 127 arguments and 2 masks for unavailable ones; the kernel accepts at most 128");
}

TEST(ProbeSize, RefusesLinesThatTheKernelCannotRead) {
  TraceProbe probe = probe_of(100);
  for (TraceArgument& argument : probe.arguments) argument.name += std::string(28, 'x');
  const std::size_t size = probe.format().size();
  probe.arguments.back().name += std::string(4095 - size, 'y');
  EXPECT_EQ(probe.format().size(), 4095u);
  EXPECT_TRUE(check_probe_line(probe));
  probe.arguments.back().name += 'y';
  EXPECT_EQ(check_probe_line(probe).error().message,
            "the definition of 'shop:order' has 4096 bytes; the kernel accepts at most 4095");
}

}  // namespace
}  // namespace peregrine
