// Metrics that stand beside a counter by itself: instructions per cycle, rates, miss ratios, CPUs utilised, where the
// pipeline's slots went, transactions, system management interrupts.
//
// Each divides by a counter of the same place, the same modes (:u with :u), the same cgroup and the same PMU, never by
// a mean over places. A metric whose base did not count has no value and a reason. Pure; formulas and their sources are
// in stat_metric.cc and named_metric.cc. Metrics from definitions (-M) are in analysis/metric and use StatMetric too.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "event/spec.h"

namespace peregrine {

struct StatMetric {
  enum class Format {
    Rate,         // three decimals
    Ratio,        // two
    Percent,      // two and a per cent sign
    FinePercent,  // three and a per cent sign
    Share,        // one and a per cent sign
    Whole,        // none
    Count,        // none, in a narrow column
    Plain,        // two: a defined metric
    Scaled,       // one: a defined metric with a unit of its own
  };
  Format format = Format::Rate;
  std::optional<double> value;  // nothing: it cannot be said; then `reason` says why, unless nobody asked for its base
  std::string unit = {};        // "CPUs utilized", "K/sec", "insn per cycle", a metric's name
  std::string reason = {};      // "branches counted 0"
  bool same_line = false;       // stands behind the metric before it, where a line of its own would be usual
  std::optional<bool> is_bad = {};  // what the metric's threshold says of the value; nothing without a threshold
};

// task-clock and cpu-clock: counted in ns, shown in ms.
bool is_clock(const EventSpec& spec);

// What metrics need to know of one place: every event's count there.
struct StatPlaceCounts {
  std::vector<double> counts;  // by event, in events or ns
  std::vector<bool> counted;   // by event
  double wall_ns = 0;          // elapsed time the counts belong to
  // By event: how long a counter of this place was switched on, where that is known of the place and not of threads; 0
  // otherwise. Longer than wall_ns when many counters are switched on one by one.
  std::vector<double> window_ns = {};
};

// The metrics of `events[index]`, the first for its own line.
std::vector<StatMetric> stat_metrics(const EventList& events, std::size_t index, const StatPlaceCounts& place);

// Metrics that were asked for by name, for the events that were added for them; nothing for other events.
using StatMetricSource = std::function<std::optional<std::vector<StatMetric>>(
    const EventList& events, std::size_t index, const StatPlaceCounts& place)>;

}  // namespace peregrine
