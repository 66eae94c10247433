// MetricSet: the metrics of one `stat` command, bound to their counters.
//
// plan_metrics() finds the metrics, follows references to other metrics, and appends the required events to the list,
// each metric's as one weak group so that they count over the same time; a metric whose events are a subset of
// another's shares its group. A metric is shown in the row of its group's first event. metrics_at() computes the values
// from the counts of one place. Immutable after planning.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/expression.h"
#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_definition.h"
#include "analysis/stat/stat_metric.h"
#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

struct MetricOptions {
  bool group = true;      // --metric-no-group: no
  bool merge = true;      // --metric-no-merge: no
  bool threshold = true;  // --metric-no-threshold: no
};

class MetricSet {
 public:
  bool empty() const { return metrics_.empty(); }
  // Whether this event was added for metrics; it then shows only them.
  bool owns(std::size_t event) const;
  // The metrics shown in an event's row, from the counts at one place.
  std::vector<StatMetric> metrics_at(const EventList& events, std::size_t event, const StatPlaceCounts& place) const;
  // Call if the event list was repeated for each cgroup: each copy has `size` events.
  void repeat_every(std::size_t size) { copy_size_ = size; }

 private:
  friend class MetricPlanner;
  // What a name in an expression refers to: counters to be summed, or another metric.
  struct Source {
    std::vector<std::size_t> events;
    std::optional<std::size_t> metric;
  };
  struct Formula {
    MetricExpression expression;
    std::vector<Source> sources;  // by name
  };
  struct Metric {
    std::string name;
    MetricScale scale;
    Formula value;
    std::optional<Formula> threshold;
    std::optional<std::size_t> shown_at;  // event; empty if only other metrics refer to it
  };
  struct Outcome {
    std::optional<double> value;
    std::string reason;
  };
  class Computation;

  std::vector<Metric> metrics_;  // a metric comes after those it refers to
  std::size_t first_event_ = 0, end_event_ = 0, copy_size_ = 0;
};

// `words`: names and groups of -M, comma-separated, each with optional modifiers after ':'. Appends to `events`.
// Members of a group or of "all" that cannot be counted here are skipped, with a line in `warnings`. Errors: NotFound,
// unknown metric; Malformed, an invalid expression; Unsupported, an event or literal of a named metric does not exist
// here.
Result<MetricSet> plan_metrics(std::string_view words, const MetricCatalogue& catalogue, const MetricOptions& options,
                               const MetricFacts& facts, EventSources& sources, EventList& events,
                               std::vector<std::string>& warnings);

}  // namespace peregrine
