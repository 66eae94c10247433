// StatTable: converts counter readings of one or more runs to the rows of `stat`, with scaling, noise and metrics.
//
// Fed by cmd with capture's readings: call add_run once per run (or per interval, on a fresh table). Counts of one
// place are summed over CPUs and threads. For Global, the sum is scaled for multiplexing and averaged over runs;
// otherwise each reading is scaled separately and only the last run is shown. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/stat/run_stats.h"
#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "base/types.h"
#include "capture/counter.h"
#include "capture/sampling/latency_tally.h"
#include "event/spec.h"

namespace peregrine {

enum class StatState { Counted, NotCounted, NotSupported };

struct StatRow {
  std::size_t event = 0;
  std::size_t place = 0;
  std::size_t counted_at = 0;  // the place that supplies the counts: `place`, or its core
  unsigned members = 0;        // number of CPUs summed
  StatState state = StatState::NotCounted;
  double count = 0;  // events, or ns for clocks
  double value = 0;  // count × the event's scale, in its unit
  double noise_percent = 0;
  u64 enabled_ns = 0, running_ns = 0;
  std::vector<StatMetric> metrics;  // without values if the event did not count
};

// The tool's own times in ns, for the events duration_time, user_time and system_time.
struct StatTimes {
  u64 wall_ns = 0;      // reference for rates: for an interval its nominal length
  u64 duration_ns = 0;  // actually elapsed
  u64 user_ns = 0, system_ns = 0;
  std::vector<u64> sensors = {};               // by event: sensor readings
  std::vector<LatencyReading> latencies = {};  // for events with modifier R
};

// Which of the sampled retire latencies to show (--tpebs-mode).
enum class LatencyMode : u8 { Mean, Min, Max, Last };

// What each row sums.
struct StatLayout {
  StatAggregation aggregation = StatAggregation::Global;
  std::vector<StatPlace> places = {StatPlace{}};  // Global: one place without CPUs
  bool scale = true;                              // correct for multiplexing
  // For events with the term percore, a CPU's row shows its whole core: with Cpu, `places` has the cores after the
  // CPUs, from this index on; 0: none.
  std::size_t first_core = 0;
  bool core_at_each_cpu = false;  // --percore-show-thread: still one row per CPU
  LatencyMode latency = LatencyMode::Mean;
};

u64 tool_time(ToolEvent tool, const StatTimes& times);

// In cycles: as sampled, else the event's usual value, else 0.
double retire_latency(const EventSpec& spec, const LatencyTally& tally, LatencyMode mode);
// Over all CPUs and threads.
LatencyTally latency_of(std::size_t event, std::span<const LatencyReading> readings);

class StatTable {
 public:
  // `supported`: by event.
  StatTable(const EventList& events, std::vector<bool> supported, StatLayout layout);

  void add_run(std::span<const CounterReading> readings, const StatTimes& times);
  void use_metrics(StatMetricSource source) { metrics_ = std::move(source); }

  // In printing order: by event then place; for cores, dies, sockets and nodes by place then event.
  std::vector<StatRow> rows() const;

  const EventList& events() const { return events_; }
  StatAggregation aggregation() const { return layout_.aggregation; }
  const std::vector<StatPlace>& places() const { return layout_.places; }
  bool is_core(std::size_t place) const { return layout_.first_core != 0 && place >= layout_.first_core; }
  bool has_cgroups() const { return has_cgroups_; }  // some events are bound to a cgroup
  u64 runs() const { return wall_.count(); }
  const RunStats& wall() const { return wall_; }               // ns
  const std::vector<double>& walls() const { return walls_; }  // ns, each run

 private:
  // One event at one place.
  struct Cell {
    u64 value = 0, enabled = 0, running = 0;
    std::optional<double> latency;  // replaces `value`, since a mean is fractional
    unsigned members = 0;
    bool bad = false;     // a reading never counted
    bool of_cpu = false;  // counts per CPU, not per thread
    RunStats values, enabled_over_runs, running_over_runs;
    double amount() const { return latency.value_or(static_cast<double>(value)); }
  };
  // The places that a CPU or thread belongs to: at most one, plus its core if cores follow the CPUs.
  struct Places {
    std::optional<std::size_t> own, core;
  };
  Places places_of(const CounterReading& reading) const;
  void index_cpus();
  void add_reading(const CounterReading& reading);
  void add_to(Cell& at, const CounterReading& reading) const;
  void add_tool_event(std::size_t event, const StatTimes& times);
  void add_latency(std::size_t event, std::span<const LatencyReading> readings);
  void end_run();
  Cell& cell(std::size_t event, std::size_t place) { return cells_[event * layout_.places.size() + place]; }
  const Cell& cell(std::size_t event, std::size_t place) const { return cells_[event * layout_.places.size() + place]; }
  // A row's sums: over runs if averaged, and over PMUs of one kind.
  struct Sum {
    double count = 0, enabled = 0, running = 0, error = 0;
    unsigned members = 0, readings = 0;  // CPUs or threads; readings per PMU
    bool supported = false, bad = false, of_cpu = false;
  };
  Sum sum_at(std::size_t event, std::size_t place) const;
  // The place that supplies the counts for the event's row at `place`; empty: no such row.
  std::optional<std::size_t> source_of(std::size_t event, std::size_t place) const;
  std::optional<StatRow> row(std::size_t event, std::size_t place) const;
  StatPlaceCounts counts_at(std::size_t place) const;
  std::vector<StatMetric> metrics_of(const StatRow& row, const StatPlaceCounts& counts) const;

  const EventList& events_;
  std::vector<bool> supported_;
  StatLayout layout_;
  bool has_cgroups_;
  std::vector<std::vector<std::size_t>> merged_;  // by event, as merged_events()
  std::vector<Places> of_cpu_;                    // by CPU
  StatMetricSource metrics_;
  std::vector<Cell> cells_;
  RunStats wall_;
  std::vector<double> walls_;
};

// "msec" for clocks, "ns" for the tool's times, else the PMU's unit.
std::string_view stat_unit(const EventSpec& spec);

}  // namespace peregrine
