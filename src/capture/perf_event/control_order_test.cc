#include "capture/perf_event/control_order.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "event/attr_text.h"

namespace peregrine {
namespace {

EventSpec controlled_event(std::string name, std::size_t leader) {
  EventSpec spec;
  spec.name = std::move(name);
  spec.leader = leader;
  spec.attr.sample_period = 4000;
  return spec;
}

// "front:{cycles,instructions}", "faults".
EventList controlled_events() {
  EventList events{controlled_event("cycles", 0), controlled_event("instructions", 0), controlled_event("faults", 2)};
  events[0].group_size = 2;
  events[0].group_name = "front:";
  events[0].attr.set(abi::attr_flag::Freq);
  return events;
}

// The answer to a line on the control channel; no events are open.
std::string control_answer(std::string_view line) {
  EventMatrix matrix;
  const auto command = parse_control_command(line);
  if (!command) return "no command";
  const auto answer = carry_out(*command, controlled_events(), matrix);
  return answer ? *answer : answer.error().message;
}

TEST(ControlOrder, ListsEvents) { EXPECT_EQ(control_answer("evlist"), "cycles\ninstructions\nfaults\n"); }

TEST(ControlOrder, ListsGroupsInBraces) {
  EXPECT_EQ(control_answer("evlist -g"), "front:{cycles,instructions}\nfaults\n");
}

TEST(ControlOrder, ListsFrequenciesAndPeriods) {
  EXPECT_EQ(control_answer("evlist -F"),
            "cycles: sample_freq=4000\ninstructions: sample_period=4000\nfaults: sample_period=4000\n");
}

TEST(ControlOrder, ListsAttrs) {
  const EventList events = controlled_events();
  std::string expected;
  for (const EventSpec& event : events) expected += event.name + ": " + attr_text(event.attr) + '\n';
  EXPECT_EQ(control_answer("evlist -v"), expected);
}

TEST(ControlOrder, ReportsACommandThatCannotBeExecuted) {
  EXPECT_EQ(control_answer("evlist -x"), "failed: wrong command\n");
  EXPECT_EQ(control_answer("enable cache-misses"), "failed: can't find 'cache-misses' event\n");
  EXPECT_EQ(control_answer("disable cycle"), "failed: can't find 'cycle' event\n") << "names are not shortened";
}

TEST(ControlOrder, LeavesTheOthersToTheOwner) {
  for (const char* line : {"stop", "snapshot", "ping"}) EXPECT_EQ(control_answer(line), "") << line;
}

}  // namespace
}  // namespace peregrine
