// Metrics over events that the kernel names (generic events, and the slots events that Intel's PMU driver
// exports in sysfs), so they need no per-model event table.
//
// Sources: Hennessy and Patterson, "Computer Architecture", for instructions per cycle and misses per thousand
// instructions (MPKI); A. Yasin, "A Top-Down Method for Performance Analysis and Counters Architecture" (ISPASS 2014)
// and Intel SDM volume 3 (MSR_PERF_METRICS) for the four slot shares. Thresholds follow that paper: a share is worth
// investigating if it is high for its category.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_definition.h"

namespace peregrine {

namespace {

struct Builtin {
  const char *name, *group, *expression, *scale_unit, *threshold, *description;
};

constexpr std::array kBuiltins{
    Builtin{"ipc", "General", "instructions / cycles", "", "", "Instructions per cycle"},
    Builtin{"cpi", "General", "cycles / instructions", "", "", "Cycles per instruction"},
    Builtin{"frequency", "General", "cycles / task\\-clock", "1GHz", "", "Cycles per nanosecond of run time"},
    Builtin{"cpus_utilized", "General", "task\\-clock / (duration_time * 1e9)", "1CPUs", "",
            "Average number of busy CPUs"},
    Builtin{"kernel_share", "General", "cycles:k / (cycles:k + cycles:u)", "100%", "kernel_share > 0.5",
            "Share of cycles spent in the kernel"},
    Builtin{"branch_miss_rate", "Branches", "branch\\-misses / branches", "100%", "branch_miss_rate > 0.05",
            "Share of mispredicted branches"},
    Builtin{"branch_mpki", "Branches", "1000 * branch\\-misses / instructions", "", "branch_mpki > 5",
            "Mispredicted branches per thousand instructions"},
    Builtin{"branch_share", "Branches", "branches / instructions", "100%", "",
            "Share of instructions that are branches"},
    Builtin{"cache_miss_rate", "Caches", "cache\\-misses / cache\\-references", "100%", "cache_miss_rate > 0.2",
            "Share of last-level cache accesses that miss"},
    Builtin{"cache_mpki", "Caches", "1000 * cache\\-misses / instructions", "", "cache_mpki > 10",
            "Last-level cache misses per thousand instructions"},
    Builtin{"l1d_miss_rate", "Caches", "L1\\-dcache\\-load\\-misses / L1\\-dcache\\-loads", "100%", "",
            "Share of loads that miss the first-level data cache"},
    Builtin{"dtlb_miss_rate", "Caches", "dTLB\\-load\\-misses / dTLB\\-loads", "100%", "",
            "Share of loads that miss the data TLB"},
    Builtin{"fault_rate", "Software", "page\\-faults / (task\\-clock / 1e9)", "1faults/s", "",
            "Page faults per second of run time"},
    Builtin{"switch_rate", "Software", "context\\-switches / (task\\-clock / 1e9)", "1switches/s", "",
            "Context switches per second of run time"},
    Builtin{"migration_rate", "Software", "cpu\\-migrations / (task\\-clock / 1e9)", "1migrations/s", "",
            "CPU migrations per second of run time"},
    Builtin{"td_retiring", "TopDown;TopDownL1",
            "topdown\\-retiring / (topdown\\-retiring + topdown\\-bad\\-spec + topdown\\-fe\\-bound + "
            "topdown\\-be\\-bound) + 0 * slots",
            "100%", "", "Share of issue slots that retired"},
    Builtin{"td_bad_speculation", "TopDown;TopDownL1",
            "topdown\\-bad\\-spec / (topdown\\-retiring + topdown\\-bad\\-spec + topdown\\-fe\\-bound + "
            "topdown\\-be\\-bound) + 0 * slots",
            "100%", "td_bad_speculation > 0.15", "Share of issue slots wasted on mispredicted paths"},
    Builtin{"td_frontend_bound", "TopDown;TopDownL1",
            "topdown\\-fe\\-bound / (topdown\\-retiring + topdown\\-bad\\-spec + topdown\\-fe\\-bound + "
            "topdown\\-be\\-bound) + 0 * slots",
            "100%", "td_frontend_bound > 0.15", "Share of issue slots that waited for instructions"},
    Builtin{"td_backend_bound", "TopDown;TopDownL1",
            "topdown\\-be\\-bound / (topdown\\-retiring + topdown\\-bad\\-spec + topdown\\-fe\\-bound + "
            "topdown\\-be\\-bound) + 0 * slots",
            "100%", "td_backend_bound > 0.2", "Share of issue slots that waited for data or execution units"},
};

}  // namespace

std::vector<MetricDefinition> builtin_metrics() {
  std::vector<MetricDefinition> metrics;
  for (const Builtin& builtin : kBuiltins) {
    MetricDefinition metric{.name = builtin.name, .expression = builtin.expression};
    std::string_view groups = builtin.group;
    while (!groups.empty()) {
      const std::size_t end = std::min(groups.find(';'), groups.size());
      metric.groups.emplace_back(groups.substr(0, end));
      groups.remove_prefix(std::min(end + 1, groups.size()));
    }
    metric.scale_unit = builtin.scale_unit;
    metric.threshold = builtin.threshold;
    metric.description = builtin.description;
    metric.origin = "built-in";
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace peregrine
