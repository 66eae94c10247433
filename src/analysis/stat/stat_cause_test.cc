#include "analysis/stat/stat_cause.h"

#include <gtest/gtest.h>

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
            "faults nothing that it observes ran w\n"
            "imc/reads/ the kernel refuses it: a term \n");
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

}  // namespace
}  // namespace peregrine
