#include "analysis/stat/stat_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "abi/attr.h"
#include "analysis/stat/test_events.h"
#include "sys/hardware/pmu.h"

namespace peregrine {
namespace {

using stat_test::cycles;
using stat_test::event;
using stat_test::instructions;
using stat_test::page_faults;

EventSpec task_clock_in_msec() {
  EventSpec spec = event("task-clock", abi::EventType::Software, 1);
  spec.unit = "msec";
  spec.scale = 1e-6;
  return spec;
}

TEST(StatTable, AddsRatesAndUtilisation) {
  const EventList events{task_clock_in_msec(), page_faults(), cycles()};
  StatTable table(events, {true, true, false}, {});
  table.add_run(
      std::vector<CounterReading>{{0, -1, 1, 2'000'000, 2'000'000, 2'000'000}, {1, -1, 1, 50, 2'000'000, 2'000'000}},
      {.wall_ns = 4'000'000});
  const auto rows = table.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_DOUBLE_EQ(rows[0].value, 2.0);  // msec
  ASSERT_EQ(rows[0].metrics.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].metrics[0].value.value_or(-1), 0.5);
  EXPECT_DOUBLE_EQ(rows[1].metrics[0].value.value_or(-1), 25.0);
  EXPECT_EQ(rows[1].metrics[0].unit, "K/sec");
  EXPECT_EQ(rows[2].state, StatState::NotSupported);
}

TEST(StatTable, ScalesTheSumOfMultiplexedCounts) {
  const EventList events{cycles(), instructions()};
  StatTable table(events, {true, true}, {});
  table.add_run(
      std::vector<CounterReading>{{0, 0, -1, 100, 1000, 500}, {0, 1, -1, 100, 1000, 500}, {1, 0, -1, 600, 1000, 1000}},
      {.wall_ns = 1000});
  const auto rows = table.rows();
  EXPECT_DOUBLE_EQ(rows[0].count, 400);
  EXPECT_EQ(rows[0].running_ns, 1000u);
  EXPECT_EQ(rows[1].metrics[0].unit, "insn per cycle");
  EXPECT_DOUBLE_EQ(rows[1].metrics[0].value.value_or(-1), 1.5);
}

EventSpec misses_latency() {
  EventSpec spec = event("cache-misses:R", abi::EventType::Hardware, 3);
  spec.retire_latency = true;
  spec.tool = ToolEvent::RetireLatency;
  return spec;
}

TEST(StatTable, RetireLatenciesAreCombinedByMode) {
  const EventList events{misses_latency()};
  LatencyTally first, second;
  for (const u64 latency : {8u, 3u}) first.add(latency, 100 + latency);
  second.add(14, 50);
  const auto shown = [&](LatencyMode mode) {
    StatTable table(events, {true}, {.latency = mode});
    table.add_run({}, {.wall_ns = 10, .latencies = {{0, 0, -1, first}, {0, 1, -1, second}}});
    return table.rows().at(0).value;
  };
  EXPECT_DOUBLE_EQ(shown(LatencyMode::Mean), 25.0 / 3);
  EXPECT_DOUBLE_EQ(shown(LatencyMode::Min), 3);
  EXPECT_DOUBLE_EQ(shown(LatencyMode::Max), 14);
  EXPECT_DOUBLE_EQ(shown(LatencyMode::Last), 8);
}

TEST(StatTable, UnsampledRetireLatenciesAreTheUsualOnesOrZero) {
  EventList events{misses_latency(), misses_latency()};
  events[1].usual_latency = RetireLatency{.mean = 63.5, .min = 15, .max = 5156};
  const auto shown = [&](LatencyMode mode) {
    StatTable table(events, {true, true}, {.latency = mode});
    table.add_run({}, {.wall_ns = 10});
    const auto rows = table.rows();
    EXPECT_EQ(rows.at(0).state, StatState::Counted);
    EXPECT_DOUBLE_EQ(rows.at(0).value, 0);
    return rows.at(1).value;
  };
  EXPECT_DOUBLE_EQ(shown(LatencyMode::Mean), 63.5);
  EXPECT_DOUBLE_EQ(shown(LatencyMode::Min), 15);
  EXPECT_DOUBLE_EQ(shown(LatencyMode::Max), 5156);
  EXPECT_DOUBLE_EQ(shown(LatencyMode::Last), 63.5);
}

TEST(StatTable, EachCpuHasItsOwnRetireLatency) {
  const EventList events{misses_latency()};
  StatLayout layout{.aggregation = StatAggregation::Cpu, .places = {}};
  for (const int cpu : {0, 1, 2}) {
    StatPlace place;
    place.cpus = {cpu};
    layout.places.push_back(place);
  }
  StatTable table(events, {true}, layout);
  LatencyTally tally;
  tally.add(4, 1);
  LatencyTally other;
  other.add(9, 1);
  table.add_run({}, {.wall_ns = 10, .latencies = {{0, 0, -1, tally}, {0, 2, -1, other}}});
  const auto rows = table.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_DOUBLE_EQ(rows[0].value, 4);
  EXPECT_DOUBLE_EQ(rows[1].value, 0);
  EXPECT_DOUBLE_EQ(rows[2].value, 9);
}

TEST(StatTable, AveragesOverRunsWithNoise) {
  const EventList events{page_faults()};
  StatTable table(events, {true}, {});
  for (const u64 count : {90u, 110u})
    table.add_run(std::vector<CounterReading>{{0, -1, 1, count, 10, 10}}, {.wall_ns = 100});
  const auto rows = table.rows();
  EXPECT_DOUBLE_EQ(rows[0].count, 100);
  EXPECT_DOUBLE_EQ(rows[0].noise_percent, 10);  // sd 14.14, of the mean of two: 10
  EXPECT_EQ(table.runs(), 2u);
}

TEST(StatTable, OneUncountedReadingMakesThePlaceUncounted) {
  const EventList events{page_faults()};
  StatTable table(events, {true},
                  {StatAggregation::Socket, {{.label = "S0", .cpus = {0, 1, 2}}, {.label = "S1", .cpus = {3}}}});
  table.add_run(
      std::vector<CounterReading>{
          {0, 0, -1, 5, 10, 10}, {0, 1, -1, 0, 10, 0}, {0, 2, -1, 5, 10, 10}, {0, 3, -1, 5, 10, 10}},
      {});
  const auto rows = table.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].state, StatState::NotCounted);
  EXPECT_EQ(rows[0].members, 2u);
  EXPECT_EQ(rows[1].state, StatState::Counted);
}

TEST(StatTable, PmusOfOneKindAreOneRow) {
  EventSpec first = page_faults(), second = page_faults();
  first.auto_merge = second.auto_merge = true;
  first.pmu = "imc_0";
  second.pmu = "imc_1";
  const EventList events{first, second};
  StatTable table(events, {true, true}, {StatAggregation::Socket, {{.label = "S0", .cpus = {0, 1}}}});
  table.add_run(
      std::vector<CounterReading>{{0, 0, -1, 1, 9, 9}, {0, 1, -1, 2, 9, 9}, {1, 0, -1, 4, 9, 9}, {1, 1, -1, 8, 9, 9}},
      {});
  const auto rows = table.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].count, 15);
  EXPECT_EQ(rows[0].members, 2u);
  EXPECT_EQ(rows[0].running_ns, 36u);
}

TEST(StatTable, EventsOfCoresAmongRowsOfCpus) {
  EventSpec of_core = cycles();
  of_core.terms.percore = true;
  const EventList events{of_core, page_faults()};
  StatLayout layout{
      StatAggregation::Cpu,
      {{.label = "CPU0", .cpus = {0}}, {.label = "CPU1", .cpus = {1}}, {.label = "S0-D0-C0", .cpus = {0, 1}}}};
  layout.first_core = 2;
  const std::vector<CounterReading> readings{
      {0, 0, -1, 10, 9, 9}, {0, 1, -1, 20, 9, 9}, {1, 0, -1, 3, 9, 9}, {1, 1, -1, 4, 9, 9}};
  const auto shown = [&] {
    StatTable table(events, {true, true}, layout);
    table.add_run(readings, {});
    std::string text;
    for (const StatRow& row : table.rows()) text += fmt::format("{}:{} ", table.places()[row.place].label, row.count);
    return text;
  };
  EXPECT_EQ(shown(), "S0-D0-C0:30 CPU0:3 CPU1:4 ");
  layout.core_at_each_cpu = true;
  EXPECT_EQ(shown(), "CPU0:30 CPU1:30 CPU0:3 CPU1:4 ");
}

TEST(StatTable, GivesTheTimesOfTheTool) {
  EventSpec wall = event("duration_time", abi::EventType::Software, 9), user = wall;
  wall.tool = ToolEvent::DurationTime;
  user.tool = ToolEvent::UserTime;
  const EventList events{wall, user};
  StatTable table(events, {true, true}, {});
  table.add_run({}, {.duration_ns = 1234});
  const auto rows = table.rows();
  EXPECT_DOUBLE_EQ(rows[0].value, 1234);
  EXPECT_EQ(rows[1].state, StatState::NotCounted);
}

TEST(StatTable, ASensorSaysWhatItsFileSays) {
  EventSpec sensor = event("hwmon_coretemp/temp1/", abi::EventType::Software, 9);
  sensor.tool = ToolEvent::Sensor;
  sensor.unit = "'C";
  sensor.scale = 1e-3;
  const EventList events{sensor};
  StatTable table(events, {true}, {});
  table.add_run({}, {.sensors = {45500}});
  EXPECT_DOUBLE_EQ(table.rows()[0].value, 45.5);
  EXPECT_EQ(stat_unit(sensor), "'C");
}

}  // namespace
}  // namespace peregrine
