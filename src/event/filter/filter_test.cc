// Tests which events of a list get a filter from set_filter and exclude_process.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "support/server_sources.h"
#include "sys/root.h"

namespace peregrine {
namespace {

constexpr std::string_view kMisplacedFilter = "--filter option should follow a -e tracepoint or HW tracer option";

class FilterOptionTest : public ::testing::Test {
 protected:
  // Adds the events of one more -e; returns where they begin.
  std::size_t add(std::string_view words) {
    const std::size_t first = list_.size();
    EXPECT_TRUE(parse_events(words, sources_, list_)) << words;
    return first;
  }
  // "", or the error.
  std::string filtered(std::size_t first, std::string_view filter, FilterUse use = FilterUse::Counting) {
    const auto done = set_filter(sources_, list_, first, filter, use);
    return done ? "" : done.error().message;
  }
  std::string filters() const {
    std::string text;
    for (const EventSpec& spec : list_) text += fmt::format("{}: {}\n", spec.name, spec.filter.value_or("-"));
    return text;
  }

  EventSources sources_ = support::server_sources();
  EventList list_;
};

TEST_F(FilterOptionTest, HoldsForAllEventsOfItsOption) {
  add("sched:sched_switch");
  const std::size_t second = add("sched:sched_process_fork,sched:sched_process_exec");
  EXPECT_EQ(filtered(second, "common_pid != 1"), "");
  EXPECT_EQ(
      filters(),
      "sched:sched_switch: -\nsched:sched_process_fork: common_pid != 1\nsched:sched_process_exec: common_pid != 1\n");
}

TEST_F(FilterOptionTest, SeveralMustAllHold) {
  add("sched:sched_switch");
  EXPECT_EQ(filtered(0, "prev_pid == 1 || prev_pid == 2"), "");
  EXPECT_EQ(filtered(0, "prev_state > 0"), "");
  EXPECT_EQ(filters(), "sched:sched_switch: (prev_pid == 1 || prev_pid == 2) && (prev_state > 0)\n");
}

TEST_F(FilterOptionTest, NeedsAnEvent) {
  EXPECT_EQ(filtered(0, "x == 1"), kMisplacedFilter);
  add("sched:sched_switch");
  EXPECT_EQ(filtered(1, "prev_pid == 1"), kMisplacedFilter);
}

TEST_F(FilterOptionTest, OtherEventsAreFilteredBySamplesOnly) {
  add("cycles");
  EXPECT_EQ(filtered(0, "period > 1000"), kMisplacedFilter);
  EXPECT_EQ(filtered(0, "period > 1000", FilterUse::Sampling), "");
  EXPECT_EQ(filtered(0, "cpu == 0, tid > 1", FilterUse::Sampling), "");
  EXPECT_EQ(filters(), "cycles: (period > 1000) && (cpu == 0, tid > 1)\n");
  EXPECT_TRUE(list_[0].filters_samples());
  EXPECT_EQ(filtered(0, "period >", FilterUse::Sampling),
            "filter syntax error: 'period >'\n                              \\___ expected a value");
}

// If a list has both kinds, no event gets a filter unless all of them can.
TEST_F(FilterOptionTest, AMistakeChangesNoTracepoint) {
  add("sched:sched_switch,cycles");
  EXPECT_EQ(filtered(0, "prev_pid == 1"), kMisplacedFilter);
  EXPECT_EQ(filters(), "sched:sched_switch: -\ncycles: -\n");
}

TEST_F(FilterOptionTest, TheKernelJudgesWhereFieldsCannotBeRead) {
  EventSources nothing(Root("/nowhere"));
  add("sched:sched_switch");
  ASSERT_TRUE(set_filter(nothing, list_, 0, "anything == 1", FilterUse::Counting));
  EXPECT_EQ(filters(), "sched:sched_switch: anything == 1\n");
}

TEST_F(FilterOptionTest, TheRecorderIsLeftOut) {
  add("cycles");
  const std::size_t first = add("sched:sched_switch,cs");
  ASSERT_TRUE(exclude_process(list_, first, 77));
  EXPECT_EQ(filters(), "cycles: -\nsched:sched_switch: common_pid != 77\ncs: -\n");
  const std::size_t other = add("faults");
  const auto refused = exclude_process(list_, other, 77);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "--exclude-perf option should follow a -e tracepoint option");
}

}  // namespace
}  // namespace peregrine
