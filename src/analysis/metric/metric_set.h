// MetricSet: the metrics of one `stat` command, tied to the counters that were opened for them.
//
// plan_metrics() finds the metrics, follows their references to other metrics, and appends to the event list what they
// need, each metric's events as one weak group so that they count the same time; metrics that need no more than another
// one share its group. A metric is shown at the row of its group's first event. metrics_at() computes from the counts
// of one place. Immutable after planning.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/metric/expression.h"
#include "analysis/metric/metric_catalogue.h"
#include "analysis/stat/stat_metric.h"
#include "event/source.h"

namespace peregrine {

struct MetricOptions {
  bool group = true;      // --metric-no-group: no
  bool merge = true;      // --metric-no-merge: no
  bool threshold = true;  // --metric-no-threshold: no
};

class MetricSet {
 public:
  bool empty() const { return metrics_.empty(); }
  // Was this event added for metrics? Then nothing but them stands beside it.
  bool owns(std::size_t event) const;
  // The metrics shown at an event's row, from the counts at one place.
  std::vector<StatMetric> metrics_at(const EventList& events, std::size_t event, const StatPlaceCounts& place) const;
  // The event list was repeated, once for each cgroup: `size` events make one copy.
  void repeat_every(std::size_t size) { copy_size_ = size; }

 private:
  friend class MetricPlanner;
  // What a name of an expression stands for: counters that are added up, or another metric.
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
    std::optional<std::size_t> shown_at;  // event; nothing: only others refer to it
  };
  struct Outcome {
    std::optional<double> value;
    std::string reason;
  };
  class Computation;

  std::vector<Metric> metrics_;  // a metric comes after those that it refers to
  std::size_t first_event_ = 0, end_event_ = 0, copy_size_ = 0;
};

// `words`: of -M: names and groups, separated by commas, each with modifiers behind ':'. Appends to `events`; what of a
// group or of "all" cannot be counted here is left out with a line in `warnings`. Errors: NotFound, no such metric;
// Malformed, an expression; Unsupported, an event or literal of a named metric that is not here.
Result<MetricSet> plan_metrics(std::string_view words, const MetricCatalogue& catalogue, const MetricOptions& options,
                               const MetricFacts& facts, EventSources& sources, EventList& events,
                               std::vector<std::string>& warnings);

}  // namespace peregrine
