#include "analysis/stat/stat_metric.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "abi/attr.h"
#include "analysis/stat/metric_base.h"
#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "analysis/stat/test_events.h"
#include "base/types.h"
#include "capture/counter.h"
#include "event/source.h"
#include "event/syntax/parse.h"
#include "support/machine.h"

namespace peregrine {
namespace {

using stat_test::cycles;
using stat_test::event;
using stat_test::hardware;
using stat_test::instructions;
using stat_test::page_faults;

EventSpec branches() { return hardware("branches", abi::HardwareEvent::BranchInstructions); }
EventSpec branch_misses() { return hardware("branch-misses", abi::HardwareEvent::BranchMisses); }
EventSpec task_clock() { return event("task-clock", abi::EventType::Software, 1); }
EventSpec named(const char* name) {
  EventSpec spec = event(name, abi::EventType::Raw, 0x3c);
  spec.pmu = "cpu";
  return spec;
}
EventSpec in_mode(EventSpec spec, u64 flag) {
  spec.attr.set(flag);
  return spec;
}

// One place where everything was counted.
StatPlaceCounts counted(std::vector<double> counts, double wall_ns = 0) {
  StatPlaceCounts place{.counts = std::move(counts), .counted = {}, .wall_ns = wall_ns};
  place.counted.assign(place.counts.size(), true);
  return place;
}
// An event's first metric, with as many decimals as a screen shows; -1 if there are no metrics.
double metric(const EventList& events, std::size_t index, const StatPlaceCounts& place, double unit = 100) {
  const auto metrics = stat_metrics(events, index, place);
  if (metrics.empty() || !metrics.front().value) return -1;
  return std::round(*metrics.front().value * unit) / unit;
}

// Q-01 of the course: perf divided a row's count by the mean of the other counter over all CPUs. Each line has the
// printed value and the row's true value; the counts are chosen so that dividing by the mean gives the printed value.
TEST(StatMetric, DividesByTheCountOfTheSameRow) {
  struct Line {
    const char* row;
    bool of_branches;
    double printed, true_value;
    unsigned cpus;
  };
  const Line lines[] = {
      {"CPU0 of -aA, IPC", false, 7.97, 2.12, 8},         {"CPU0 of -aA, misses", true, 0.03, 0.004, 8},
      {"CPU0 of -C0-3, IPC", false, 0.32, 0.35, 4},       {"CPU0 of -C0-3, misses", true, 1.18, 2.51, 4},
      {"CPU0 of -C0,2,4,6, IPC", false, 0.63, 0.29, 4},   {"CPU0 of -C0,2,4,6, misses", true, 12.99, 3.93, 4},
      {"S0-C0 of --per-core, IPC", false, 1.78, 0.59, 4}, {"S0-C0 of --per-core, misses", true, 10.64, 3.79, 4},
      {"S0 of --per-socket, IPC", false, 3.19, 0.40, 8},  {"S0 of --per-socket, misses", true, 26.36, 3.30, 8},
  };
  for (const Line& line : lines) {
    SCOPED_TRACE(line.row);
    const EventList events{line.of_branches ? branches() : cycles(),
                           line.of_branches ? branch_misses() : instructions()};
    const double share = line.of_branches ? 100 : 1, base = 1e9;
    const double count = line.true_value / share * base;
    const double mean = count * share / line.printed;  // over all CPUs
    std::vector<StatPlace> places{{.label = "CPU0", .cpus = {0}}};
    std::vector<CounterReading> readings{{0, 0, -1, static_cast<u64>(base), 10, 10},
                                         {1, 0, -1, static_cast<u64>(std::round(count)), 10, 10}};
    const double other = (mean * line.cpus - base) / (line.cpus - 1);
    ASSERT_GT(other, 0);
    for (unsigned cpu = 1; cpu < line.cpus; ++cpu) {
      places.push_back({.label = fmt::format("CPU{}", cpu), .cpus = {static_cast<int>(cpu)}});
      readings.push_back({0, static_cast<int>(cpu), -1, static_cast<u64>(other), 10, 10});
      readings.push_back({1, static_cast<int>(cpu), -1, 1, 10, 10});
    }
    StatTable table(events, {true, true}, {StatAggregation::Cpu, places});
    table.add_run(readings, {.wall_ns = 100});
    for (const StatRow& row : table.rows())
      if (row.event == 1 && row.place == 0) {
        ASSERT_FALSE(row.metrics.empty());
        EXPECT_NEAR(row.metrics[0].value.value_or(-1), line.true_value, 1e-6);
      }
  }
}

// The course's §32.1, as recorded: gzip of one file.
TEST(StatMetric, FormulasOfTheCourse) {
  EXPECT_DOUBLE_EQ(metric({task_clock()}, 0, counted({1920.159e6}, 1936.843e6), 1000), 0.991);
  EXPECT_DOUBLE_EQ(metric({task_clock(), page_faults()}, 1, counted({1920e6, 480})), 250);
  EXPECT_DOUBLE_EQ(metric({task_clock(), cycles()}, 1, counted({2e9, 7e9}), 1000), 3.5);
  const EventList gzip{cycles(), hardware("stalled-cycles-frontend", abi::HardwareEvent::StalledCyclesFrontend),
                       hardware("stalled-cycles-backend", abi::HardwareEvent::StalledCyclesBackend), instructions()};
  const auto place = counted({5000, 1000, 2000, 8000});
  EXPECT_DOUBLE_EQ(metric(gzip, 1, place), 20);
  EXPECT_DOUBLE_EQ(metric(gzip, 2, place), 40);
  EXPECT_DOUBLE_EQ(metric(gzip, 3, place), 1.6);
  const auto metrics = stat_metrics(gzip, 3, place);
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[1].unit, "stalled cycles per insn");
  EXPECT_DOUBLE_EQ(metrics[1].value.value_or(-1), 0.25);  // the larger of the two stall counts
}

TEST(StatMetric, MissesOfCaches) {
  struct Case {
    u64 cache;
    const char* unit;
  };
  for (const Case& each :
       {Case{0, "of all L1-dcache accesses"}, Case{1, "of all L1-icache accesses"}, Case{2, "of all LL-cache accesses"},
        Case{3, "of all dTLB cache accesses"}, Case{4, "of all iTLB cache accesses"}}) {
    const EventList events{event("loads", abi::EventType::HwCache, each.cache),
                           event("misses", abi::EventType::HwCache, each.cache | 1u << 16)};
    const auto metrics = stat_metrics(events, 1, counted({1000, 15}));
    ASSERT_EQ(metrics.size(), 1u);
    EXPECT_EQ(metrics[0].unit, each.unit);
    EXPECT_DOUBLE_EQ(metrics[0].value.value_or(-1), 1.5);
  }
}

TEST(StatMetric, SameModesTogether) {
  using abi::attr_flag::ExcludeKernel;
  using abi::attr_flag::ExcludeUser;
  const EventList events{in_mode(cycles(), ExcludeKernel), in_mode(cycles(), ExcludeUser),
                         in_mode(instructions(), ExcludeUser), in_mode(instructions(), ExcludeKernel), instructions()};
  const auto place = counted({100, 50, 200, 50, 250});
  EXPECT_DOUBLE_EQ(metric(events, 2, place), 4);
  EXPECT_DOUBLE_EQ(metric(events, 3, place), 0.5);
  EXPECT_DOUBLE_EQ(metric(events, 4, place), -1);  // cycles in all modes were not counted
}

TEST(StatMetric, SameCgroupAndSameKindOfCoreTogether) {
  EventList events{cycles(), cycles(), instructions()};
  events[0].cgroup = "/a";
  events[1].cgroup = events[2].cgroup = "/b";
  EXPECT_DOUBLE_EQ(metric(events, 2, counted({100, 50, 200})), 4);
  events = {cycles(), cycles(), instructions()};
  events[0].attr.config |= u64{4} << 32;  // cpu_core
  events[1].attr.config |= u64{8} << 32;  // cpu_atom
  events[2].attr.config |= u64{8} << 32;
  EXPECT_DOUBLE_EQ(metric(events, 2, counted({100, 50, 200})), 4);
}

TEST(StatMetric, EachKindOfCoreByItsOwnCycles) {
  for (const char* name : {"arm-biglittle", "intel-hybrid"}) {
    const peregrine::testing::Machine machine(PEREGRINE_FIXTURES, name);
    EventSources sources(machine.root());
    EventList events;
    ASSERT_TRUE(parse_events("cycles,instructions,cache-references,cache-misses", sources, events));
    ASSERT_EQ(events.size(), 8u);
    const auto place = counted({100, 50, 200, 20, 1000, 10, 10, 5});
    EXPECT_DOUBLE_EQ(metric(events, 2, place), 2) << name;
    EXPECT_DOUBLE_EQ(metric(events, 3, place), 0.4) << name;
    EXPECT_DOUBLE_EQ(metric(events, 6, place), 1) << name;
    EXPECT_DOUBLE_EQ(metric(events, 7, place), 50) << name;
  }
}

TEST(StatMetric, PrefersTheCounterOfItsOwnGroup) {
  EventList events{cycles(), cycles(), instructions()};
  events[1].leader = events[2].leader = 1;
  EXPECT_DOUBLE_EQ(metric(events, 2, counted({100, 50, 200})), 4);
}

TEST(StatMetric, SaysWhyThereIsNone) {
  const EventList events{branches(), branch_misses()};
  auto place = counted({0, 3});
  auto metrics = stat_metrics(events, 1, place);
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_FALSE(metrics[0].value);
  EXPECT_EQ(metrics[0].reason, "branches counted 0");
  place.counted[0] = false;
  EXPECT_EQ(stat_metrics(events, 1, place)[0].reason, "branches did not count");
  EXPECT_EQ(stat_metrics({branch_misses()}, 0, counted({3}))[0].reason, "");
}

TEST(StatMetric, AClockNeverUsesMoreThanItsCpu) {
  StatPlaceCounts place = counted({1.258e9}, 1e9);
  place.window_ns = {1.258e9};
  EXPECT_DOUBLE_EQ(metric({task_clock()}, 0, place), 1);
}

TEST(StatMetric, SlotsOfTheMetricsRegister) {
  const EventList events{named("slots"),
                         named("topdown-retiring"),
                         named("topdown-bad-spec"),
                         named("topdown-fe-bound"),
                         named("cpu/topdown-be-bound/"),
                         named("topdown-heavy-ops")};
  const auto place = counted({100000, 40000, 10000, 20000, 30000, 10000});
  EXPECT_DOUBLE_EQ(metric(events, 1, place), 40);
  EXPECT_DOUBLE_EQ(metric(events, 4, place), 30);
  const auto second = stat_metrics(events, 5, place);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_DOUBLE_EQ(second[0].value.value_or(-1), 10);
  EXPECT_EQ(second[1].unit, "Light Operations");
  EXPECT_DOUBLE_EQ(second[1].value.value_or(-1), 30);
  EXPECT_TRUE(second[1].same_line);
  EXPECT_DOUBLE_EQ(metric({events[1], events[2]}, 0, counted({5, 5})), -1);  // not all four shares
}

TEST(StatMetric, SlotsOfFourCounters) {
  EventList events{named("topdown-total-slots"), named("topdown-slots-retired"), named("topdown-recovery-bubbles"),
                   named("topdown-fetch-bubbles"), named("topdown-slots-issued")};
  const auto place = counted({100000, 40000, 3000, 20000, 45000});
  EXPECT_DOUBLE_EQ(metric(events, 1, place), 40);
  EXPECT_DOUBLE_EQ(metric(events, 2, place), 8);
  EXPECT_DOUBLE_EQ(metric(events, 3, place), 20);
  EXPECT_DOUBLE_EQ(metric(events, 4, place), 32);
  EXPECT_EQ(stat_metrics(events, 4, place)[0].unit, "backend bound");
  events[2].name = "other";
  EXPECT_EQ(stat_metrics(events, 4, place)[0].unit, "backend bound/bad spec");
}

TEST(StatMetric, TransactionsAndManagementInterrupts) {
  const EventList events{cycles(), named("cpu/cycles-t/"), named("cpu/tx-start/"), named("cpu/el-start/"),
                         named("cpu/cycles-ct/")};
  const auto place = counted({100000, 60000, 20, 30, 45000});
  EXPECT_DOUBLE_EQ(metric(events, 1, place), 60);
  EXPECT_DOUBLE_EQ(metric(events, 2, place), 3000);
  EXPECT_DOUBLE_EQ(metric(events, 3, place), 2000);
  EXPECT_DOUBLE_EQ(metric(events, 4, place), 15);
  const EventList interrupts{named("msr/aperf/"), named("msr/smi/"), cycles()};
  const auto metrics = stat_metrics(interrupts, 1, counted({100000, 3, 90000}));
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_DOUBLE_EQ(metrics[0].value.value_or(-1), 10);
  EXPECT_DOUBLE_EQ(metrics[1].value.value_or(-1), 3);
}

// The base of event 0 among `events`, which were all counted.
BaseCount cycles_for_first(const EventList& events, std::vector<double> counts, std::vector<bool> counted = {}) {
  StatPlaceCounts place{.counts = std::move(counts), .counted = std::move(counted)};
  if (place.counted.empty()) place.counted.assign(place.counts.size(), true);
  return MetricBase(events, 0, place).hardware(abi::HardwareEvent::Cycles);
}

EventSpec with_modes(EventSpec spec, u64 flag) {
  spec.attr.set(flag);
  return spec;
}

TEST(MetricBase, IsTheCountOfTheEvent) {
  const BaseCount base = cycles_for_first({instructions(), cycles()}, {10, 4});
  EXPECT_EQ(base.count, 4);
  EXPECT_EQ(base.reason, "");
}

TEST(MetricBase, AnEventThatWasNotRequestedNeedsNoReason) {
  const BaseCount base = cycles_for_first({instructions()}, {10});
  EXPECT_FALSE(base.count);
  EXPECT_EQ(base.reason, "");
}

TEST(MetricBase, SaysWhyACountCannotDivide) {
  EXPECT_EQ(cycles_for_first({instructions(), cycles()}, {10, 0}).reason, "cycles counted 0");
  EXPECT_EQ(cycles_for_first({instructions(), cycles()}, {10, 4}, {true, false}).reason, "cycles did not count");
}

TEST(MetricBase, HasTheModesOfItsEvent) {
  const EventList events{with_modes(instructions(), abi::attr_flag::ExcludeKernel), cycles(),
                         with_modes(cycles(), abi::attr_flag::ExcludeKernel)};
  EXPECT_EQ(cycles_for_first(events, {10, 4, 3}).count, 3);
}

TEST(MetricBase, HasTheControlGroupOfItsEvent) {
  EventList events{instructions(), cycles(), cycles()};
  events[0].cgroup = events[2].cgroup = "a";
  events[1].cgroup = "b";
  EXPECT_EQ(cycles_for_first(events, {10, 4, 3}).count, 3);
}

TEST(MetricBase, PrefersTheSameGroup) {
  EventList events{instructions(), cycles(), cycles(), cycles()};
  events[0].leader = events[2].leader = 2;
  events[1].leader = 1;
  events[3].leader = 3;
  EXPECT_EQ(cycles_for_first(events, {10, 4, 3, 5}).count, 3);
}

TEST(MetricBase, CountsOfOneKindOfCoreBelongTogether) {
  EventList events{instructions(), cycles(), cycles()};
  events[0].attr.config |= u64{8} << 32;  // the PMU of the efficient cores
  events[2].attr.config |= u64{8} << 32;
  EXPECT_EQ(cycles_for_first(events, {10, 4, 3}).count, 3);
}

TEST(MetricBase, ClocksAreAveraged) {
  const EventSpec clock = event("task-clock", abi::EventType::Software, 1);
  const EventList events{instructions(), clock, clock, clock};
  StatPlaceCounts place{.counts = {1, 100, 300, 7}, .counted = {true, true, true, false}};
  EXPECT_EQ(MetricBase(events, 0, place).clock_ns(), 200);
  place.counted = {true, false, false, false};
  EXPECT_EQ(MetricBase(events, 0, place).clock_ns(), 0);
}

TEST(MetricBase, FindsEventsByTheirPlainName) {
  EventList events{event("cpu/tx-start/", abi::EventType::Raw, 1), event("cycles-t:u", abi::EventType::Raw, 2)};
  const StatPlaceCounts place{.counts = {5, 6}, .counted = {true, true}};
  const MetricBase base(events, 0, place);
  EXPECT_EQ(base.named("cycles-t").count, 6);
  EXPECT_TRUE(base.has_named("tx-start"));
  EXPECT_FALSE(base.has_named("tx"));
  events[1].pmu = "other";
  EXPECT_FALSE(base.has_named("cycles-t"));
}

TEST(PlainEventName, LeavesOutPmuAndModifiers) {
  const auto plain = [](const char* name) {
    return std::string(plain_event_name(event(name, abi::EventType::Raw, 0)));
  };
  EXPECT_EQ(plain("cpu/cycles-t/"), "cycles-t");
  EXPECT_EQ(plain("cpu/cycles-t/u"), "cycles-t");
  EXPECT_EQ(plain("cycles-t:u"), "cycles-t");
  EXPECT_EQ(plain("slots"), "slots");
  EXPECT_EQ(plain(""), "");
  EXPECT_EQ(plain("/"), "");
}

TEST(MetricOf, DividesOrExplains) {
  const StatMetric metric = metric_of(StatMetric::Format::Percent, "of all", 5, {.count = 20, .reason = {}}, 100);
  EXPECT_EQ(metric.value, 25);
  EXPECT_EQ(metric.unit, "of all");
  const StatMetric none = metric_of(StatMetric::Format::Percent, "of all", 5, {.count = {}, .reason = "gone"}, 100);
  EXPECT_FALSE(none.value);
  EXPECT_EQ(none.reason, "gone");
}

}  // namespace
}  // namespace peregrine
