#include "analysis/sched/schedstat_change.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>

namespace peregrine {
namespace {

// Values begin, begin + step, begin + 2·step, …
abi::SchedstatRecord record_of(u16 version, u32 cpu, u64 time, std::optional<u16> domain, u64 begin, u64 step) {
  abi::SchedstatRecord record{.time = time, .cpu = cpu, .version = version, .domain = domain, .counters = {}};
  record.values.resize(domain ? abi::schedstat_domain_counters(version) : abi::kSchedstatCpuCounters);
  for (std::size_t i = 0; i < record.values.size(); ++i) record.values[i] = begin + step * i;
  return record;
}

const SchedstatRow& row_of(const std::vector<SchedstatRow>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &SchedstatRow::name);
  EXPECT_NE(found, rows.end()) << name;
  return found == rows.end() ? rows.front() : *found;
}

SchedstatChange two_readings(u16 version) {
  SchedstatSeries series;
  for (const u32 cpu : {0u, 1u}) {
    EXPECT_TRUE(series.add(record_of(version, cpu, 1000, std::nullopt, 10, 0)));
    EXPECT_TRUE(series.add(record_of(version, cpu, 1000, 0, 5, 0)));
  }
  for (const u32 cpu : {0u, 1u}) {
    EXPECT_TRUE(series.add(record_of(version, cpu, 1600, std::nullopt, 10, 100)));
    EXPECT_TRUE(series.add(record_of(version, cpu, 1600, 0, 5, 1)));
  }
  return series.change(nullptr);
}

TEST(SchedstatSeries, TellsHowFarCountersMoved) {
  const SchedstatChange change = two_readings(15);
  EXPECT_EQ(change.jiffies, 600u);
  ASSERT_EQ(change.cpus.size(), 2u);
  const auto rows = schedstat_rows(change.cpus[0]);
  EXPECT_EQ(row_of(rows, "yld_count").count, 0u);
  EXPECT_EQ(row_of(rows, "sched_count").count, 200u);
  EXPECT_EQ(row_of(rows, "sched_goidle").count, 300u);
  EXPECT_DOUBLE_EQ(row_of(rows, "sched_goidle").share, 150);
  EXPECT_EQ(row_of(rows, "pcount").count, 800u);
  EXPECT_FALSE(row_of(rows, "pcount").has_share);
}

TEST(SchedstatSeries, AddsUpAllCpus) {
  const SchedstatCpu total = two_readings(15).total();
  EXPECT_EQ(row_of(schedstat_rows(total), "ttwu_count").count, 800u);
  ASSERT_EQ(total.domains.size(), 1u);
  EXPECT_EQ(total.domains[0].values[35], 70u);
}

TEST(SchedstatSeries, NamesCountersOfDomainsInTheOrderOfTheVersion) {
  // Each value is its index: 0, 1, 2, …
  struct Case {
    u16 version;
    std::string_view first;
    u64 second_count, wake_remote;
    std::string_view imbalance;
  };
  for (const Case& each :
       {Case{15, "idle_lb_count", 8, 33, "busy_lb_imbalance"}, Case{16, "busy_lb_count", 8, 33, "idle_lb_imbalance"},
        Case{17, "busy_lb_count", 11, 42, "idle_lb_imbalance_misfit"}}) {
    SchedstatDomain domain;
    domain.values.resize(abi::schedstat_domain_counters(each.version));
    std::iota(domain.values.begin(), domain.values.end(), 0);
    const auto groups = schedstat_groups(domain, each.version, 100);
    ASSERT_EQ(groups.size(), 7u);
    EXPECT_EQ(groups[0].rows[0].name, each.first);
    EXPECT_EQ(groups[1].rows[0].count, each.second_count) << each.version;
    EXPECT_EQ(row_of(groups[6].rows, "ttwu_wake_remote").count, each.wake_remote) << each.version;
    EXPECT_EQ(row_of(groups[6].rows, "ttwu_move_balance").count, each.wake_remote + 2) << each.version;
    row_of(groups[1].rows, each.imbalance);
  }
}

TEST(SchedstatSeries, TellsTasksPerSuccessfulAttempt) {
  SchedstatDomain domain;
  domain.values = {100, 70, 20, 0, 25, 3, 0, 50};
  domain.values.resize(36);
  const auto rows = schedstat_groups(domain, 15, 1000)[0].rows;
  EXPECT_EQ(row_of(rows, "idle_lb_success").count, 10u);
  EXPECT_DOUBLE_EQ(row_of(rows, "idle_lb_success").average, 2.5);
  EXPECT_DOUBLE_EQ(row_of(rows, "idle_lb_count").average, 10);
  EXPECT_DOUBLE_EQ(row_of(rows, "idle_lb_nobusyg").average, 20);
  EXPECT_FALSE(row_of(rows, "idle_lb_nobusyq").has_average);  // no earlier reading
}

TEST(SchedstatSeries, FollowsCountersThatWrapOrBeginAnew) {
  SchedstatSeries series;
  auto first = record_of(17, 3, 1, std::nullopt, 0, 0), last = first;
  last.time = 2;
  first.values[2] = 0xffff'fff0;
  last.values[2] = 0x10;  // wrapped
  first.values[4] = 1000;
  last.values[4] = 7;  // reset to zero in between
  first.values[6] = 0xffff'ffff;
  last.values[6] = 0x1'0000'0000;  // a 64-bit counter
  EXPECT_TRUE(series.add(first) && series.add(last));
  const auto rows = schedstat_rows(series.change(nullptr).cpus.at(0));
  EXPECT_EQ(row_of(rows, "sched_count").count, 0x20u);
  EXPECT_EQ(row_of(rows, "ttwu_count").count, 7u);
  EXPECT_EQ(row_of(rows, "rq_cpu_time").count, 1u);
}

TEST(SchedstatSeries, LeavesOutWhatWasReadOnceAndRefusesOtherVersions) {
  SchedstatSeries series;
  EXPECT_TRUE(series.add(record_of(16, 0, 1, std::nullopt, 0, 0)));
  EXPECT_TRUE(series.add(record_of(16, 0, 2, std::nullopt, 0, 0)));
  EXPECT_TRUE(series.add(record_of(16, 1, 2, std::nullopt, 0, 0)));
  EXPECT_FALSE(series.add(record_of(17, 1, 3, std::nullopt, 0, 0)));
  EXPECT_FALSE(series.add(record_of(14, 1, 3, std::nullopt, 0, 0)));
  auto cut = record_of(16, 1, 3, std::nullopt, 0, 0);
  cut.values.pop_back();
  EXPECT_FALSE(series.add(cut));
  EXPECT_EQ(series.change(nullptr).cpus.size(), 1u);
}

TEST(SchedstatSeries, NamesDomainsAsTheHeaderDoes) {
  data::SchedulingDomains known{.schedstat_version = 17, .most_domains = 1, .cpus = {}};
  known.cpus.push_back({.cpu = 2, .domains = {{.number = 0, .name = "SMT", .mask = "c", .cpus = "2-3"}}});
  SchedstatSeries series;
  for (const u64 time : {1, 2}) {
    series.add(record_of(17, 2, time, std::nullopt, 0, 0));
    series.add(record_of(17, 2, time, 0, 0, 0));
    series.add(record_of(17, 2, time, 1, 0, 0));
  }
  const auto domains = series.change(&known).cpus.at(0).domains;
  ASSERT_EQ(domains.size(), 2u);
  EXPECT_EQ(domains[0].name, "SMT");
  EXPECT_EQ(domains[0].cpus, "2-3");
  EXPECT_EQ(domains[1].name, "");
}

}  // namespace
}  // namespace peregrine
