#include "analysis/stat/stat_cause.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "abi/attr.h"
#include "base/types.h"
#include "capture/counter.h"

namespace peregrine {
namespace {

EventSpec named(const char* name, abi::EventType type) {
  EventSpec spec;
  spec.name = name;
  spec.attr.type = static_cast<u32>(type);
  return spec;
}

std::string text(const std::vector<StatCause>& causes) {
  std::string lines;
  for (const StatCause& cause : causes) {
    for (const std::string& event : cause.events) lines += event + ' ';
    lines += cause.why.substr(0, 30) + '\n';
  }
  return lines;
}

TEST(StatCause, OneLineForEventsOfOneCause) {
  const EventList events{named("cycles", abi::EventType::Hardware), named("L1-dcache-loads", abi::EventType::HwCache),
                         named("faults", abi::EventType::Software), named("imc/reads/", abi::EventType{20})};
  StatTable table(events, {false, false, true, false}, {});
  table.add_run(std::vector<CounterReading>{{2, -1, 1, 0, 0, 0}}, {});
  const std::vector<int> errors{ENOENT, ENOENT, 0, EINVAL};
  EXPECT_EQ(text(stat_causes(table, table.rows(), errors, false)),
            "cycles L1-dcache-loads this machine has no hardware c\n"
            "faults nothing that it measures ran w\n"
            "imc/reads/ rejected by the kernel: unsupp\n");
  EXPECT_EQ(text(stat_causes(table, table.rows(), errors, true)).substr(0, 46),
            "cycles L1-dcache-loads the processor does not ");
}

TEST(StatCause, EnabledButNeverOnACounter) {
  const EventList events{named("cycles", abi::EventType::Hardware)};
  StatTable table(events, {true}, {});
  table.add_run(std::vector<CounterReading>{{0, -1, 1, 0, 1000, 0}}, {});
  EXPECT_EQ(text(stat_causes(table, table.rows(), {}, true)), "cycles it never got a hardware counte\n");
}

TEST(StatCause, CountedRowsHaveNone) {
  const EventList events{named("faults", abi::EventType::Software)};
  StatTable table(events, {true}, {});
  table.add_run(std::vector<CounterReading>{{0, -1, 1, 0, 1000, 1000}}, {});
  EXPECT_TRUE(stat_causes(table, table.rows(), {}, false).empty());
}

TEST(StatCause, EstimatesSayTheirShareAndTheirError) {
  const EventList events{named("cycles", abi::EventType::Hardware), named("branches", abi::EventType::Hardware),
                         named("faults", abi::EventType::Software)};
  StatTable table(events, {true, true, true}, {});
  constexpr u64 kTurn = 4'000'000;
  const std::vector<CounterReading> readings{
      {0, -1, 1, 500, 200 * kTurn, 100 * kTurn}, {1, -1, 1, 500, 200 * kTurn, 50 * kTurn}, {2, -1, 1, 5, 100, 100}};
  table.add_run(readings, {});
  const auto estimate = stat_estimate(table.rows(), events, kTurn);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->events, (std::vector<std::string>{"cycles", "branches"}));
  // sqrt((1 - 0.25) / 50) = 12 %
  EXPECT_EQ(estimate->why, "counted for 25 to 50 % of the time and scaled up; error about 12 % if the rate is bursty");
  EXPECT_FALSE(stat_estimate(std::vector{table.rows()[2]}, events, kTurn));
}

}  // namespace
}  // namespace peregrine
