#include "analysis/sched/schedstat_change.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "base/percent.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr u32 kHalf = 1u << 31;

// For 32-bit counters, which wrap. A change above 2³¹ means that the counter was reset.
u64 narrow_change(u64 first, u64 last) {
  const u32 change = static_cast<u32>(last) - static_cast<u32>(first);
  return change > kHalf ? last : change;
}

std::vector<u64> changes(const std::vector<u64>& first, const std::vector<u64>& last, std::size_t narrow) {
  std::vector<u64> changes;
  for (std::size_t i = 0; i < std::min(first.size(), last.size()); ++i) {
    if (i < narrow)
      changes.push_back(narrow_change(first[i], last[i]));
    else
      changes.push_back(last[i] >= first[i] ? last[i] - first[i] : last[i]);
  }
  return changes;
}

void add_to(std::vector<u64>& sums, const std::vector<u64>& values) {
  sums.resize(std::max(sums.size(), values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

u64 value_at(const std::vector<u64>& values, std::size_t index) { return index < values.size() ? values[index] : 0; }

struct CpuCounter {
  std::string_view name;
  std::size_t index;
  std::size_t whole;  // index of the counter that this one is part of, or its own index
  std::string_view meaning;
};
// The second number of a line is unused in these versions.
constexpr CpuCounter kCpuCounters[] = {
    {"yld_count", 0, 0, "sched_yield() calls"},
    {"sched_count", 2, 2, "schedule() calls"},
    {"sched_goidle", 3, 2, "schedule() calls that left the CPU idle"},
    {"ttwu_count", 4, 4, "wake-ups"},
    {"ttwu_local", 5, 4, "wake-ups of a task on the same CPU"},
    {"rq_cpu_time", 6, 6, "task run time, in ns"},
    {"run_delay", 7, 6, "time tasks waited for the CPU, in ns"},
    {"pcount", 8, 8, "time slices run"},
};

struct Balancing {
  std::string_view prefix, name;
};
constexpr Balancing kIdleBalancing{"idle", "Load balancing by an idle CPU"},
    kBusyBalancing{"busy", "Load balancing by a busy CPU"},
    kNewlyIdleBalancing{"newidle", "Load balancing by a CPU becoming idle"};
// Version 16 swapped the first two.
std::array<Balancing, 3> balancings(u32 version) {
  return version >= 16 ? std::array{kBusyBalancing, kIdleBalancing, kNewlyIdleBalancing}
                       : std::array{kIdleBalancing, kBusyBalancing, kNewlyIdleBalancing};
}

struct DomainCounter {
  std::string_view name, meaning;
  bool timed = false;  // show the mean time between them
};
constexpr DomainCounter kBalanced[] = {{"lb_count", "attempts to balance", true},
                                       {"lb_balanced", "found no imbalance", true},
                                       {"lb_failed", "found an imbalance, but moved no task", true}};
constexpr DomainCounter kImbalance[] = {{"lb_imbalance", "sum of imbalances"}};
constexpr DomainCounter kImbalances[] = {{"lb_imbalance_load", "sum of load imbalances"},
                                         {"lb_imbalance_util", "sum of utilization imbalances"},
                                         {"lb_imbalance_task", "sum of task imbalances"},
                                         {"lb_imbalance_misfit", "sum of misfit task imbalances"}};
constexpr DomainCounter kGained[] = {{"lb_gained", "tasks pulled"},
                                     {"lb_hot_gained", "pulled tasks that were still in the other CPU's cache"},
                                     {"lb_nobusyq", "found no busier run queue", true},
                                     {"lb_nobusyg", "found no busier group", true}};
struct DomainGroup {
  std::string_view name;
  std::array<DomainCounter, 3> counters;
};
constexpr DomainGroup kLastGroups[] = {
    {"Active load balancing",
     {{{"alb_count", "attempts to push a running task"},
       {"alb_failed", "moved no task"},
       {"alb_pushed", "moved a task"}}}},
    {"Balancing on exec (not used)", {{{"sbe_count", ""}, {"sbe_balanced", ""}, {"sbe_pushed", ""}}}},
    {"Balancing on fork (not used)", {{{"sbf_count", ""}, {"sbf_balanced", ""}, {"sbf_pushed", ""}}}},
    {"Wake-ups",
     {{{"ttwu_wake_remote", "wake-ups of a task that last ran on another CPU"},
       {"ttwu_move_affine", "moved the task to the waker's CPU"},
       {"ttwu_move_balance", "moved the task to balance load"}}}},
};

// Consumes a domain's counters in order.
class Taker {
 public:
  Taker(const std::vector<u64>& values, u64 jiffies) : values_(values), jiffies_(jiffies) {}

  u64 add(std::string_view prefix, const DomainCounter& counter, SchedstatGroup& group) {
    const u64 count = value_at(values_, next_++);
    SchedstatRow row{.name = std::string(prefix), .count = count, .meaning = counter.meaning};
    if (!prefix.empty()) row.name += '_';
    row.name += counter.name;
    if (counter.timed && count != 0) {
      row.has_average = true;
      row.average = static_cast<double>(jiffies_) / static_cast<double>(count);
    }
    group.rows.push_back(std::move(row));
    return count;
  }

 private:
  const std::vector<u64>& values_;
  u64 jiffies_;
  std::size_t next_ = 0;
};

SchedstatGroup balancing_group(const Balancing& of, u32 version, Taker& taker) {
  SchedstatGroup group{of.name, {}};
  u64 attempts[std::size(kBalanced)] = {};
  for (std::size_t i = 0; i < std::size(kBalanced); ++i) attempts[i] = taker.add(of.prefix, kBalanced[i], group);
  const auto imbalances =
      version >= 17 ? std::span<const DomainCounter>(kImbalances) : std::span<const DomainCounter>(kImbalance);
  for (const DomainCounter& counter : imbalances) taker.add(of.prefix, counter, group);
  const u64 gained = taker.add(of.prefix, kGained[0], group);
  for (const DomainCounter& counter : std::span(kGained).subspan(1)) taker.add(of.prefix, counter, group);
  const u64 vain = attempts[1] + attempts[2], successes = attempts[0] > vain ? attempts[0] - vain : 0;
  group.rows.push_back({.name = std::string(of.prefix) + "_lb_success",
                        .count = successes,
                        .has_average = successes != 0,
                        .average = successes == 0 ? 0 : static_cast<double>(gained) / static_cast<double>(successes),
                        .meaning = "attempts that moved tasks; average: tasks per attempt"});
  return group;
}

}  // namespace

bool SchedstatSeries::add(const abi::SchedstatRecord& record) {
  const std::size_t expected =
      record.domain ? abi::schedstat_domain_counters(record.version) : abi::kSchedstatCpuCounters;
  if (!abi::is_known_schedstat(record.version) || record.values.size() != expected) return false;
  if (version_ == 0) {
    version_ = record.version;
    first_time_ = record.time;
  }
  if (version_ != record.version) return false;
  last_time_ = record.time;
  Line& line = record.domain ? domains_[{record.cpu, *record.domain}] : cpus_[record.cpu];
  if (line.readings++ == 0) line.first = record.values;
  line.last = record.values;
  return true;
}

SchedstatChange SchedstatSeries::change(const data::SchedulingDomains* domains) const {
  SchedstatChange change{
      .version = version_, .jiffies = last_time_ > first_time_ ? last_time_ - first_time_ : 0, .cpus = {}};
  std::map<std::pair<u32, u32>, const data::CpuDomains::Domain*> known;
  if (domains != nullptr)
    for (const data::CpuDomains& cpu : domains->cpus)
      for (const auto& domain : cpu.domains) known[{cpu.cpu, domain.number}] = &domain;
  for (const auto& [number, line] : cpus_) {
    if (line.readings < 2) continue;
    SchedstatCpu cpu{.cpu = number, .values = changes(line.first, line.last, abi::kSchedstatCpuNarrow), .domains = {}};
    for (auto at = domains_.lower_bound({number, 0}); at != domains_.end() && at->first.first == number; ++at) {
      if (at->second.readings < 2) continue;
      SchedstatDomain domain{.number = at->first.second,
                             .name = {},
                             .cpus = {},
                             .values = changes(at->second.first, at->second.last, at->second.first.size())};
      if (const auto named = known.find(at->first); named != known.end()) {
        domain.name = named->second->name;
        domain.cpus = named->second->cpus;
      }
      cpu.domains.push_back(std::move(domain));
    }
    change.cpus.push_back(std::move(cpu));
  }
  return change;
}

SchedstatCpu SchedstatChange::total() const {
  SchedstatCpu total;
  std::map<u32, SchedstatDomain> domains;
  for (const SchedstatCpu& cpu : cpus) {
    add_to(total.values, cpu.values);
    for (const SchedstatDomain& domain : cpu.domains) {
      SchedstatDomain& sum = domains[domain.number];
      sum.number = domain.number;
      if (sum.name.empty()) sum.name = domain.name;
      add_to(sum.values, domain.values);
    }
  }
  for (auto& [number, domain] : domains) total.domains.push_back(std::move(domain));
  return total;
}

std::vector<SchedstatRow> schedstat_rows(const SchedstatCpu& cpu) {
  std::vector<SchedstatRow> rows;
  for (const CpuCounter& counter : kCpuCounters) {
    SchedstatRow row{.name = std::string(counter.name),
                     .count = value_at(cpu.values, counter.index),
                     .has_share = counter.whole != counter.index,
                     .meaning = counter.meaning};
    if (row.has_share) row.share = percent_of(row.count, value_at(cpu.values, counter.whole));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<SchedstatGroup> schedstat_groups(const SchedstatDomain& domain, u32 version, u64 jiffies) {
  std::vector<SchedstatGroup> groups;
  Taker taker(domain.values, jiffies);
  for (const Balancing& each : balancings(version)) groups.push_back(balancing_group(each, version, taker));
  for (const DomainGroup& each : kLastGroups) {
    SchedstatGroup group{each.name, {}};
    for (const DomainCounter& counter : each.counters) taker.add({}, counter, group);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace peregrine
