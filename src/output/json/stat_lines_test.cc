#include "output/json/stat_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/stat/stat_place.h"
#include "capture/counter.h"
#include "event/spec.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

// One event that counted, and one that the machine does not have.
EventList two_events() {
  EventList events(2);
  events[0].name = "page-faults";
  events[0].attr.type = 1;
  events[0].attr.config = 2;
  events[1].name = "cycles\"";
  return events;
}

TEST(StatLines, CountsHaveAllKeysAndNumbersAreNumbers) {
  const EventList events = two_events();
  StatTable table(events, {true, false}, {StatAggregation::Global, {StatPlace{}}});
  table.add_run(std::vector<CounterReading>{{0, 0, 1, 1234567, 1'618'410, 1'618'410}}, {.wall_ns = 2'000'000});
  Sink out;
  print_stat_count_lines(table, table.rows(), std::nullopt, out);
  const std::string text = out.take();
  EXPECT_THAT(text, HasSubstr("{\"type\":\"count\",\"time_ns\":null,\"per\":\"global\",\"place\":null,"));
  EXPECT_THAT(text, HasSubstr("\"event\":\"page-faults\",\"cgroup\":null,\"state\":\"counted\",\"value\":1234567,"
                              "\"unit\":null,\"deviation_percent\":null,\"enabled_ns\":1618410,\"running_ns\":1618410,"
                              "\"metrics\":["));
  EXPECT_THAT(text, HasSubstr("\"event\":\"cycles\\\"\",\"cgroup\":null,\"state\":\"not-supported\",\"value\":null,"));
}

TEST(StatLines, AreFramedByStartAndEnd) {
  Sink out;
  print_stat_start_line({.creator = "peregrine 1", .target = "'true'", .interval_ns = 1000}, out);
  print_stat_end_line({}, out);
  EXPECT_EQ(
      out.take(),
      "{\"type\":\"start\",\"version\":1,\"creator\":\"peregrine 1\",\"target\":\"'true'\",\"interval_ns\":1000}\n"
      "{\"type\":\"end\",\"runs\":null,\"elapsed_ns\":null,\"user_ns\":null,\"system_ns\":null}\n");
}

TEST(StatLines, RangesWithoutAnEndAreNull) {
  ValueDistribution distribution("s:e:f", true, {5});
  std::vector<u64> slots(64);
  slots[1] = 2;  // 5 and more
  distribution.add(slots);
  Sink out;
  print_stat_distribution_line(distribution, 7, out);
  EXPECT_THAT(out.take(), HasSubstr("\"ranges\":[{\"type\":\"range\",\"low\":5,\"high\":null,\"count\":2}]"));
}

}  // namespace
}  // namespace peregrine
