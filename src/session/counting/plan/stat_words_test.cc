#include "session/counting/plan/stat_words.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StatWords, IdsOfBpfProgramsArePositive) {
  EXPECT_THAT(*parse_bpf_programs("12,4294967295"), ElementsAre(12u, ~u32{0}));
  EXPECT_THAT(*parse_bpf_programs(""), IsEmpty());
  for (const std::string_view wrong : {"0", "4294967296", "1,,2", "x"})
    EXPECT_EQ(parse_bpf_programs(wrong).error().kind, ErrorKind::Usage) << wrong;
}

TEST(StatWords, CacheLevelsAreOneToFour) {
  EXPECT_EQ(parse_cache_level("l1"), 1u);
  EXPECT_EQ(parse_cache_level("L4"), 4u);
  EXPECT_EQ(parse_cache_level(""), 0u);
  for (const std::string_view wrong : {"l5", "l0", "1", "l11"})
    EXPECT_EQ(parse_cache_level(wrong).error().message, fmt::format("unknown cache level '{}'", wrong));
}

TEST(StatWords, LatencyModes) {
  EXPECT_EQ(parse_latency_mode("last"), LatencyMode::Last);
  EXPECT_EQ(parse_latency_mode("median").error().message, "--tpebs-mode: 'median' must be one of mean, min, max, last");
}

TEST(StatWords, RefusesCoreTypesThatTheMachineLacks) {
  const testing::Machine server{PEREGRINE_FIXTURES, "intel-server"};
  EventSources sources(server.root());
  const auto chosen = count_on_core_type(sources, "atom");
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().message, "--cputype atom is not supported!");
  EXPECT_EQ(chosen.error().hint, "this processor has one kind of core");
}

TEST(StatWords, PortsHaveAColonBetweenDigits) {
  EXPECT_TRUE(are_ports("0000:17,0:3a", false));
  EXPECT_FALSE(are_ports("make:", false));
  EXPECT_FALSE(are_ports("-I", true));
}

TEST(StatWords, NumbersArePortsOnlyBeforeACommand) {
  EXPECT_TRUE(are_ports("17", true));
  EXPECT_FALSE(are_ports("17", false)) << "a program may have this name";
  EXPECT_FALSE(are_ports("cafe", true)) << "a word without digits";
}

}  // namespace
}  // namespace peregrine
