#include "event/kind/pfm_event.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"
#include "support/machine.h"

namespace peregrine {
namespace {

namespace flag = abi::attr_flag;

// Events in libpfm4's syntax on a Cascade Lake server.
class PfmWordsTest : public ::testing::Test {
 protected:
  PfmWordsTest() : server_(PEREGRINE_FIXTURES, "intel-server"), sources_(server_.root()) {}

  EventSpec event(std::string_view text) {
    auto spec = parse_pfm_event(text, 0, sources_);
    EXPECT_TRUE(spec) << text << ": " << spec.error().what;
    return spec ? std::move(*spec) : EventSpec();
  }
  // "COLUMN: what / hint" for an event that begins in column 10.
  std::string mistake(std::string_view text) {
    const auto spec = parse_pfm_event(text, 10, sources_);
    if (spec) return "accepted";
    return fmt::format("{}: {}{}{}", spec.error().column, spec.error().what, spec.error().hint.empty() ? "" : " / ",
                       spec.error().hint);
  }

  testing::Machine server_;
  EventSources sources_;
};

TEST_F(PfmWordsTest, EventsKeepTheirTextAsName) {
  const EventSpec spec = event("br_inst_retired:near_call:u:c=1");
  EXPECT_EQ(spec.name, "br_inst_retired:near_call:u:c=1");
  EXPECT_EQ(spec.attr.type, static_cast<u32>(abi::EventType::Raw));
  EXPECT_EQ(spec.attr.config, 0x10002c4u);
}

TEST_F(PfmWordsTest, PointsMayReplaceColons) {
  EXPECT_EQ(event("BR_INST_RETIRED.NEAR_CALL.c=3").attr.config, event("BR_INST_RETIRED:NEAR_CALL:c=3").attr.config);
}

TEST_F(PfmWordsTest, MasksOfOneEventAreJoined) {
  const u64 call = event("BR_INST_RETIRED:NEAR_CALL").attr.config,
            taken = event("BR_INST_RETIRED:NEAR_TAKEN").attr.config;
  ASSERT_NE(call, taken);
  EXPECT_EQ(event("BR_INST_RETIRED:NEAR_CALL:NEAR_TAKEN").attr.config, call | taken);
  EXPECT_EQ(event("BR_INST_RETIRED:NEAR_TAKEN:NEAR_CALL").attr.config, call | taken);
}

TEST_F(PfmWordsTest, LettersChooseTheModes) {
  const auto excluded = [&](std::string_view text) {
    const abi::EventAttr attr = event(text).attr;
    return fmt::format("{}{}{}", attr.has(flag::ExcludeUser) ? "u" : "", attr.has(flag::ExcludeKernel) ? "k" : "",
                       attr.has(flag::ExcludeHv) ? "h" : "");
  };
  EXPECT_EQ(excluded("INST_RETIRED:ANY_P"), "");
  EXPECT_EQ(excluded("INST_RETIRED:ANY_P:u"), "k");  // Intel's counters do not distinguish the hypervisor
  EXPECT_EQ(excluded("INST_RETIRED:ANY_P:k"), "u");
  EXPECT_EQ(excluded("INST_RETIRED:ANY_P:u:k"), "");
  EXPECT_EQ(excluded("cycles:u"), "kh");
  EXPECT_EQ(excluded("cycles:k:h"), "u");
}

TEST_F(PfmWordsTest, SettingsOfTheSamplingAreTakenFromParts) {
  const EventSpec spec = event("INST_RETIRED:ANY_P:precise=2:period=1000:pinned:excl=0");
  EXPECT_EQ(spec.attr.precise_ip(), 2u);
  EXPECT_EQ(spec.terms.period, 1000u);
  EXPECT_TRUE(spec.attr.has(flag::Pinned));
  EXPECT_FALSE(spec.attr.has(flag::Exclusive));
  EXPECT_EQ(event("INST_RETIRED:ANY_P:freq=99").terms.freq, 99u);
}

TEST_F(PfmWordsTest, GenericEventsHaveTheirKernelNamesToo) {
  EXPECT_EQ(event("PERF_COUNT_HW_BRANCH_MISSES").attr.config, 5u);
  EXPECT_EQ(event("perf::PERF_COUNT_SW_PAGE_FAULTS").attr.config, 2u);
  EXPECT_EQ(event("perf::Context-Switches").attr.type, static_cast<u32>(abi::EventType::Software));
  EXPECT_EQ(mistake("perf::duration_time"), "10: unknown event");  // measured by us, not by the kernel
}

TEST_F(PfmWordsTest, PointsAtMistakes) {
  constexpr std::string_view kModifiers =
      " / valid modifiers: u k h e i t c= intx intxcp ldlat= fe_thres= period= freq= precise= pinned excl";
  EXPECT_EQ(mistake("INST_RETIRED:NONE"), "23: unknown unit mask or modifier 'NONE'" + std::string(kModifiers));
  EXPECT_EQ(mistake("INST_RETIRED:precise=4"), "23: unknown unit mask or modifier 'precise'" + std::string(kModifiers));
  EXPECT_EQ(mistake("INST_RETIRED:ANY_P:c=256"), "29: value too big, maximum is 255");
  EXPECT_EQ(mistake("INST_RETIRED:ANY_P:i=2"), "29: value too big, maximum is 1");
  EXPECT_EQ(mistake("INST_RETIRED:ANY_P:c=many"), "29: expected a number");
  EXPECT_EQ(mistake("INST_RETIRD:ANY_P"), "10: unknown event / did you mean 'INST_RETIRED'?");
  EXPECT_EQ(mistake("skx::INST_RETIRD"), "10: this processor's PMU is called 'clx'");
  EXPECT_EQ(mistake("cycles:edge:c=2"), "17: unknown unit mask or modifier 'edge'" + std::string(kModifiers));
  EXPECT_EQ(mistake("cycles:c=2"),
            "17: 'cycles' has no 'c' / valid modifiers: u k h period= freq= precise= pinned excl");
}

TEST_F(PfmWordsTest, UnknownProcessorsHaveNoEvents) {
  const testing::Machine nothing;
  EventSources sources(nothing.root());
  sources.cpuid = "CentaurHauls-6-7-0";
  const auto refused = parse_pfm_event("INST_RETIRED", 0, sources);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "libpfm4 has no events for this processor");
  EXPECT_EQ(refused.error().hint, "'list pfm' shows events of the processors it supports");
  EXPECT_TRUE(parse_pfm_event("cycles", 0, sources));
}

TEST_F(PfmWordsTest, BracesMakeGroups) {
  EventList list;
  ASSERT_TRUE(parse_pfm_events("cycles,{INST_RETIRED:ANY_P, instructions ,branches},cs", sources_, list));
  std::string leaders;
  for (const EventSpec& spec : list) leaders += fmt::format("{}:{} ", spec.name, spec.leader);
  EXPECT_EQ(leaders, "cycles:0 INST_RETIRED:ANY_P:1 instructions:1 branches:1 cs:4 ");
  EXPECT_EQ(list[1].group_size, 3u);
  ASSERT_TRUE(parse_pfm_events("{cs}", sources_, list));  // appends
  EXPECT_EQ(list.back().leader, 5u);
}

TEST_F(PfmWordsTest, AnErrorLeavesTheListAsItWas) {
  EventList list;
  ASSERT_TRUE(parse_pfm_events("cycles", sources_, list));
  struct Case {
    std::string_view words, what;
  };
  constexpr Case kCases[] = {
      {"cs,{cycles,{cs}}", "groups cannot be nested"},
      {"cs,cycles}", "unmatched '}'"},
      {"{cs,cycles", "missing '}'"},
      {"{cs}cycles", "expected a comma"},
      {"cs,nothing", "unknown event"},
      {"cs,,cycles", "unknown event"},
  };
  for (const auto& [words, what] : kCases) {
    const auto done = parse_pfm_events(words, sources_, list);
    ASSERT_FALSE(done) << words;
    EXPECT_TRUE(done.error().message.ends_with(fmt::format("\\___ {}", what))) << done.error().message;
    EXPECT_EQ(list.size(), 1u) << words;
  }
}

}  // namespace
}  // namespace peregrine
