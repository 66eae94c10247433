#include "event/config/stat_config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "event/syntax/parse.h"
#include "support/machine.h"

namespace peregrine {
namespace {

namespace flag = abi::attr_flag;

std::vector<std::string> counted_names(EventSources& sources, bool system_wide, int detail) {
  EventList list;
  add_stat_events(sources, system_wide, detail, list);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].leader, i);
    names.push_back(list[i].name);
  }
  return names;
}

class CountedEventsTest : public ::testing::Test {
 protected:
  CountedEventsTest() : sources_(machine_.root()) {
    EXPECT_TRUE(parse_events("cycles,{instructions,cs}", sources_, list_));
  }

  // The flags of each attr that depend on the options.
  std::string configured_flags(const StatOptions& options) {
    EXPECT_TRUE(configure_for_stat(options, list_));
    std::vector<std::string> all;
    for (const EventSpec& spec : list_) {
      std::string text = spec.name + ':';
      for (const auto& [bit, name] : {std::pair{flag::Disabled, " disabled"},
                                      {flag::EnableOnExec, " on_exec"},
                                      {flag::Inherit, " inherit"},
                                      {flag::ExcludeUser, " -user"},
                                      {flag::ExcludeKernel, " -kernel"}})
        if (spec.attr.has(bit)) text += name;
      if ((spec.attr.read_format & abi::read_bit::Group) != 0) text += " group";
      all.push_back(text);
    }
    return fmt::format("{}", fmt::join(all, "; "));
  }

  testing::Machine machine_;
  EventSources sources_;
  EventList list_;
};

TEST(DefaultCounters, GrowWithDetail) {
  const testing::Machine nothing;
  EventSources sources(nothing.root());
  const std::size_t plain = counted_names(sources, false, 0).size();
  EXPECT_EQ(counted_names(sources, false, 1).size(), plain + 4);
  EXPECT_EQ(counted_names(sources, false, 2).size(), plain + 10);
  EXPECT_EQ(counted_names(sources, false, 3).size(), plain + 12);
  EXPECT_EQ(counted_names(sources, false, 9).size(), plain + 12);
  EXPECT_EQ(counted_names(sources, false, 3).back(), "L1-dcache-prefetch-misses");
}

TEST(DefaultCounters, StartWithTheClockOfTheTarget) {
  const testing::Machine nothing;
  EventSources sources(nothing.root());
  EXPECT_EQ(counted_names(sources, true, 0).front(), "cpu-clock");
  EXPECT_EQ(counted_names(sources, false, 0).front(), "task-clock");
}

TEST(DefaultCounters, HaveStalledCyclesWhereTheProcessorNamesThem) {
  const testing::Machine machine;
  machine.write("cpu/type = 4");
  machine.write("cpu/events/stalled-cycles-backend = event=0x24");
  EventSources sources(machine.root());
  const auto names = counted_names(sources, false, 0);
  EXPECT_NE(std::ranges::find(names, "stalled-cycles-backend"), names.end());
  EXPECT_EQ(std::ranges::find(names, "stalled-cycles-frontend"), names.end());
}

TEST(DefaultCounters, AreNotAddedToTheUsersEvents) {
  const testing::Machine nothing;
  EventSources sources(nothing.root());
  EventList list;
  ASSERT_TRUE(parse_events("cs", sources, list));
  add_stat_events(sources, false, 0, list);
  EXPECT_EQ(list.size(), 1u);
  add_stat_events(sources, false, 1, list);  // -d adds its events
  EXPECT_EQ(list.size(), 5u);
}

TEST_F(CountedEventsTest, StartWithTheCommand) {
  EXPECT_EQ(configured_flags({}),
            "cycles: disabled on_exec inherit; instructions: disabled on_exec inherit group; cs: inherit group");
}

TEST_F(CountedEventsTest, StartByHandAfterADelayOrForOthers) {
  EXPECT_EQ(configured_flags({.initial_delay_ms = 100}),
            "cycles: disabled inherit; instructions: disabled inherit group; cs: inherit group");
  list_.clear();
  ASSERT_TRUE(parse_events("cycles", sources_, list_));
  EXPECT_EQ(configured_flags({.workload = false, .inherit = false}), "cycles: disabled");
}

TEST_F(CountedEventsTest, MayBeOneGroup) {
  EXPECT_EQ(configured_flags({.inherit = false, .group = true}),
            "cycles: disabled on_exec group; instructions: group; cs: group");
}

TEST_F(CountedEventsTest, MayLeaveOutAMode) {
  EXPECT_EQ(configured_flags({.workload = false, .inherit = false, .all_user = true}),
            "cycles: disabled -kernel; instructions: disabled -kernel group; cs: -kernel group");
  EXPECT_EQ(configured_flags({.workload = false, .inherit = false, .all_kernel = true}),
            "cycles: disabled -user; instructions: disabled -user group; cs: -user group");
}

TEST_F(CountedEventsTest, TermsOfRecordingAreRefused) {
  for (const char* term : {"freq=9", "time=0", "call-graph=fp", "stack-size=8", "no-inherit", "max-stack=1", "nr=1",
                           "overwrite", "aux-output", "aux-sample-size=1", "branch_type=any", "aux-action=pause"}) {
    EventList list;
    ASSERT_TRUE(parse_events(fmt::format("cs/{}/", term), sources_, list)) << term;
    const auto done = configure_for_stat({}, list);
    ASSERT_FALSE(done) << term;
    EXPECT_TRUE(done.error().message.ends_with("' is not usable in 'perf stat'")) << done.error().message;
  }
  EventList list;
  ASSERT_TRUE(parse_events("cs/period=7/", sources_, list));
  ASSERT_TRUE(configure_for_stat({}, list));
  EXPECT_EQ(list[0].attr.sample_period, 0u);  // counted rather than sampled
}

}  // namespace
}  // namespace peregrine
