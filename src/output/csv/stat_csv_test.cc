#include "output/csv/stat_csv.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "analysis/stat/port_traffic.h"
#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_versus.h"
#include "analysis/stat/value_distribution.h"
#include "event/spec.h"
#include "output/csv/metric_csv.h"
#include "output/csv/port_csv.h"
#include "output/csv/value_csv.h"
#include "output/csv/versus_csv.h"

namespace peregrine {
namespace {

EventList csv_events() {
  EventList events(2);
  events[0].name = "cycles";
  events[1].name = "task-clock";
  events[1].scale = 1e-6;
  events[1].unit = "msec";
  return events;
}

StatTable csv_table(const EventList& events, StatAggregation aggregation = StatAggregation::Global,
                    const std::string& label = {}) {
  StatPlace place;
  place.label = label;
  return {events, {true, true}, {aggregation, {place}}};
}

StatRow counted_row(std::size_t event, double value) {
  return {.event = event,
          .members = 4,
          .state = StatState::Counted,
          .count = value,
          .value = value,
          .enabled_ns = 1000,
          .running_ns = 1000};
}

std::string stat_csv(const StatTable& table, const StatRow& row, const StatCsvStyle& style = {}) {
  Sink out;
  print_stat_csv(table, std::vector{row}, style, out);
  return out.take();
}

TEST(StatCsv, NumbersAreWholeUnlessTheEventIsScaled) {
  const EventList events = csv_events();
  const StatTable table = csv_table(events);
  EXPECT_EQ(stat_csv(table, counted_row(0, 1234567)), "1234567,,cycles,1000,100.00,,\n");
  EXPECT_EQ(stat_csv(table, counted_row(1, 12.345)), "12.35,msec,task-clock,1000,100.00,,\n");
}

TEST(StatCsv, SaysWhichCountersDidNotCount) {
  const EventList events = csv_events();
  const StatTable table = csv_table(events);
  EXPECT_EQ(stat_csv(table, {.state = StatState::NotCounted}), "<not counted>,,cycles,0,100.00,,\n");
  EXPECT_EQ(stat_csv(table, {.state = StatState::NotSupported}), "<not supported>,,cycles,0,100.00,,\n");
}

TEST(StatCsv, ShowsTheShareOfTimeInWhichACounterRan) {
  const EventList events = csv_events();
  StatRow row = counted_row(0, 8);
  row.running_ns = 333;
  EXPECT_EQ(stat_csv(csv_table(events), row), "8,,cycles,333,33.30,,\n");
}

TEST(StatCsv, NamesOfThreadsStayOneField) {
  const EventList events = csv_events();
  const StatTable table = csv_table(events, StatAggregation::Thread, "a,b,;;-1");
  EXPECT_EQ(stat_csv(table, counted_row(0, 8)), "a\\x2cb\\x2c;;-1,8,,cycles,1000,100.00,,\n");
  EXPECT_EQ(stat_csv(table, counted_row(0, 8), {.separator = ";;"}), "a,b,\\x3b;-1;;8;;;;cycles;;1000;;100.00;;;;\n");
}

TEST(StatCsv, RowsBeginWithTimeAndPlace) {
  const EventList events = csv_events();
  const StatRow row = counted_row(0, 8);
  EXPECT_EQ(stat_csv(csv_table(events, StatAggregation::Cpu, "CPU3"), row, {.interval_ns = 1'000'000'002}),
            "     1.000000002,CPU3,8,,cycles,1000,100.00,,\n");
  EXPECT_EQ(stat_csv(csv_table(events, StatAggregation::Socket, "S0"), row), "S0,4,8,,cycles,1000,100.00,,\n")
      << "with the number of CPUs";
  EXPECT_EQ(stat_csv(csv_table(events), row, {.first_field = "         summary"}),
            "         summary,8,,cycles,1000,100.00,,\n");
}

TEST(StatCsv, NoiseAndCgroupsAreFieldsOfTheirOwn) {
  EventList events = csv_events();
  events[0].cgroup = "/sys/fs/cgroup/a";
  events[0].cgroup_name = "a";
  StatRow row = counted_row(0, 8);
  row.noise_percent = 1.256;
  EXPECT_EQ(stat_csv(csv_table(events), row, {.separator = ";", .noise = true}), "8;;cycles;a;1.26%;1000;100.00;;\n");
}

TEST(StatCsv, FurtherMetricsFollowOnTheirLineOrOnLinesOfTheirOwn) {
  const EventList events = csv_events();
  StatRow row = counted_row(0, 8);
  row.metrics = {{.format = StatMetric::Format::Ratio, .value = 1.5, .unit = "insn per cycle"},
                 {.format = StatMetric::Format::Percent, .value = 25, .unit = "of all", .same_line = true},
                 {.unit = "K/sec"},
                 {.format = StatMetric::Format::Rate, .value = 2, .unit = "M/sec"}};
  EXPECT_EQ(stat_csv(csv_table(events), row),
            "8,,cycles,1000,100.00,1.50,insn per cycle,25.00,of all\n"
            ",,,,2.000,M/sec\n")
      << "a metric without a value is left out";
  EXPECT_EQ(stat_csv(csv_table(events, StatAggregation::Core, "S0-C0"), row),
            "S0-C0,4,8,,cycles,1000,100.00,1.50,insn per cycle,25.00,of all\n"
            "S0-C0,4,,,,,,,2.000,M/sec\n");
}

TEST(MetricCsv, HasAColumnPerMetricAndEmptyFieldsForMissingValues) {
  const EventList events = csv_events();
  const StatTable table = csv_table(events, StatAggregation::Socket, "S0");
  std::vector<StatRow> rows{counted_row(0, 8), counted_row(1, 2)};
  rows[0].metrics = {{.format = StatMetric::Format::Ratio, .value = 0.5, .unit = "insn per cycle"},
                     {.format = StatMetric::Format::Percent, .unit = "of all branches"}};
  rows[1].metrics = {{.value = 0.98, .unit = "CPUs utilized"}, {.value = 3, .unit = "K/sec"}};
  Sink out;
  print_metric_csv(table, rows, {.interval_ns = 5}, true, out);
  EXPECT_EQ(out.take(),
            "time,socket,cpus,insn per cycle,cycles of all branches,\n"
            "     0.000000005,S0,4,0.50,,\n")
      << "rates and utilizations have no column; shares name their event";
  print_metric_csv(table, rows, {}, false, out);
  EXPECT_EQ(out.take(), "S0,4,0.50,,\n");
}

TEST(MetricCsv, TitlesOfThePlaceDependOnTheAggregation) {
  const EventList events = csv_events();
  const auto titles = [&](StatAggregation aggregation) {
    Sink out;
    print_metric_csv(csv_table(events, aggregation), {}, {.separator = ";"}, true, out);
    return out.take();
  };
  EXPECT_EQ(titles(StatAggregation::Global), "\n");
  EXPECT_EQ(titles(StatAggregation::Cpu), "cpu;\n");
  EXPECT_EQ(titles(StatAggregation::Thread), "comm-pid;\n");
  EXPECT_EQ(titles(StatAggregation::Core), "core;cpus;\n");
  EXPECT_EQ(titles(StatAggregation::Cluster), "cluster;cpus;\n");
  EXPECT_EQ(titles(StatAggregation::Die), "die;cpus;\n");
  EXPECT_EQ(titles(StatAggregation::Cache), "cache;cpus;\n");
  EXPECT_EQ(titles(StatAggregation::Node), "node;cpus;\n");
}

TEST(PortCsv, ASeparatorFollowsEveryField) {
  PortTraffic port{.port = "0000:17", .amounts = {}};
  port.amounts[0] = {.state = StatState::Counted, .mb = 392.4};
  port.amounts[1] = {.state = StatState::Counted, .mb = 0};
  port.amounts[2] = {.state = StatState::NotSupported};
  Sink out;
  print_port_csv(std::vector{port}, {.interval_ns = 1'500'000'000}, true, out);
  EXPECT_EQ(out.take(),
            " time,port,Inbound Read(MB),Inbound Write(MB),Outbound Read(MB),Outbound Write(MB),\n"
            "     1.500000000,0000:17,392,0,<not supported>,<not counted>,\n");
  print_port_csv({}, {.separator = ";"}, false, out);
  EXPECT_EQ(out.take(), "");
}

std::string value_csv(const ValueDistribution& distribution, std::optional<u64> interval_ns = {}) {
  Sink out;
  print_value_csv(distribution, ",", out, interval_ns);
  return out.take();
}

TEST(ValueCsv, AnUnboundedEndIsEmpty) {
  ValueDistribution distribution("s:e:f", true, {5, 7});
  EXPECT_EQ(value_csv(distribution), "") << "no value yet";
  distribution.add(std::vector<u64>{1, 0, 2});
  EXPECT_EQ(value_csv(distribution), "1,s:e:f,,4\n0,s:e:f,5,6\n2,s:e:f,7,\n");
  EXPECT_EQ(value_csv(distribution, 2'000'000'001),
            "     2.000000001,1,s:e:f,,4\n     2.000000001,0,s:e:f,5,6\n     2.000000001,2,s:e:f,7,\n");
}

TEST(ValueCsv, WithoutBoundsRangesArePowersOfTwo) {
  ValueDistribution distribution("f", true, {});
  distribution.add(std::vector<u64>{3, 0, 0, 1});
  EXPECT_EQ(value_csv(distribution), "3,f,,-1\n0,f,0,0\n0,f,1,1\n1,f,2,3\n");
  ValueDistribution largest("f", false, {});
  std::vector<u64> slots(66);
  slots[65] = 1;
  largest.add(slots);
  EXPECT_EQ(value_csv(largest), "1,f,9223372036854775808,18446744073709551615\n");
}

TEST(VersusCsv, HasEmptyFieldsWithoutRatioOrInterval) {
  const std::vector<VersusRow> rows{
      {.name = "cycles",
       .whole = true,
       .pairs = 5,
       .mean_a = 1000,
       .mean_b = 1500.5,
       .ratio = 1.5,
       .low = 1.4,
       .high = 1.6,
       .chance = 0.000125,
       .is_real = true},
      {.name = "faults", .pairs = 3, .mean_a = 0, .mean_b = 2, .low = -1, .high = 1234567, .chance = 0.25},
      {.name = "seconds elapsed", .unit = "sec", .pairs = 1, .mean_a = 0.5, .mean_b = 0.25, .ratio = 0.5}};
  Sink out;
  print_versus_csv(rows, ";", out);
  EXPECT_EQ(out.take(),
            "name;unit;runs;mean-a;mean-b;ratio;low;high;chance;verdict\n"
            "cycles;;5;1000.000000;1500.500000;1.5;1.4;1.6;0.000125;more\n"
            "faults;;3;0.000000;2.000000;;-1;1.23457e+06;0.25;unclear\n"
            "seconds elapsed;sec;1;0.500000;0.250000;0.5;;;1;unclear\n");
}

}  // namespace
}  // namespace peregrine
