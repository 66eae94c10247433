// Built-in metrics next to a counter: instructions per cycle, rates, miss ratios, CPUs utilised, top-down slots,
// transactions, system management interrupts.
//
// Each divides by a counter of the same place, modes (:u with :u), cgroup and PMU, never by a mean over places. If the
// base did not count, the metric has no value and a reason. Pure; formulas and sources are in stat_metric.cc and
// named_metric.cc. Defined metrics (-M) are in analysis/metric and use StatMetric too.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "event/spec.h"

namespace peregrine {

struct StatMetric {
  // The type of number; output/text/format/metric_value determines how each is shown.
  enum class Format {
    Rate,
    Ratio,
    Percent,
    FinePercent,  // small shares, where hundredths matter
    Share,
    Whole,
    Count,   // few of something
    Plain,   // a defined metric
    Scaled,  // a defined metric with its unit
  };
  Format format = Format::Rate;
  std::optional<double> value;      // empty: unavailable; `reason` says why, unless the base was not requested
  std::string unit = {};            // "CPUs utilized", "K/sec", "insn per cycle", a metric's name
  std::string reason = {};          // "branches counted 0"
  bool same_line = false;           // follows the previous metric on its line, even where lines are separate
  std::optional<bool> is_bad = {};  // whether the value exceeds the metric's threshold; empty without a threshold
};

// task-clock and cpu-clock: counted in ns, shown in ms.
bool is_clock(const EventSpec& spec);

// Input of metrics: every event's count at one place.
struct StatPlaceCounts {
  std::vector<double> counts;  // by event, in events or ns
  std::vector<bool> counted;   // by event
  double wall_ns = 0;          // elapsed time of the counts
  // By event: how long a counter at this place was enabled, if known per place rather than per thread; else 0. Exceeds
  // wall_ns if many counters are enabled one by one.
  std::vector<double> window_ns = {};
};

// The metrics of `events[index]`; the first one is shown on its line.
std::vector<StatMetric> stat_metrics(const EventList& events, std::size_t index, const StatPlaceCounts& place);

// Metrics requested by name, for the events added for them; empty for other events.
using StatMetricSource = std::function<std::optional<std::vector<StatMetric>>(
    const EventList& events, std::size_t index, const StatPlaceCounts& place)>;

}  // namespace peregrine
