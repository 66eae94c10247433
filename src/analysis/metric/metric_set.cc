#include "analysis/metric/metric_set.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "event/spec.h"

namespace peregrine {

// Computes the metrics of one place, each at most once. The planner bounds the depth of references, and so the
// recursion.
class MetricSet::Computation {
 public:
  Computation(const MetricSet& set, const EventList& events, const StatPlaceCounts& place, std::size_t copy)
      : set_(set), events_(events), place_(place), copy_(copy), outcomes_(set.metrics_.size()) {}

  const Outcome& metric(std::size_t index) {
    auto& outcome = outcomes_[index];
    if (!outcome) outcome = formula(set_.metrics_[index].value);
    return *outcome;
  }

  Outcome formula(const Formula& formula) {
    std::vector<IdValue> values;
    for (const Source& source : formula.sources) {
      if (source.metric) {
        const Outcome& other = metric(*source.metric);
        if (!other.value) return other;
        values.push_back({*other.value, 1});
        continue;
      }
      IdValue sum{0, 0};
      std::string silent;
      for (const std::size_t event : source.events) add(event + copy_, sum, silent);
      if (sum.sources == 0) return {std::nullopt, silent};
      values.push_back(sum);
    }
    const double value = formula.expression.evaluate(values);
    if (!std::isfinite(value)) return {std::nullopt, "division by zero"};
    return {value, {}};
  }

 private:
  // Formulas expect tool times in seconds, and everything else as counted.
  void add(std::size_t event, IdValue& sum, std::string& silent) const {
    if (event >= events_.size() || event >= place_.counts.size()) return;
    if (!place_.counted[event]) {
      silent = events_[event].name + " did not count";
      return;
    }
    sum.value += place_.counts[event] * (events_[event].is_tool_time() ? 1e-9 : 1);
    sum.sources += 1;
  }

  const MetricSet& set_;
  const EventList& events_;
  const StatPlaceCounts& place_;
  std::size_t copy_;  // index of the first event of this copy of the list
  std::vector<std::optional<Outcome>> outcomes_;
};

bool MetricSet::owns(std::size_t event) const {
  if (copy_size_ > 0) event %= copy_size_;
  return event >= first_event_ && event < end_event_;
}

std::vector<StatMetric> MetricSet::metrics_at(const EventList& events, std::size_t event,
                                              const StatPlaceCounts& place) const {
  const std::size_t local = copy_size_ > 0 ? event % copy_size_ : event;
  Computation computation(*this, events, place, event - local);
  std::vector<StatMetric> shown;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const Metric& metric = metrics_[i];
    if (metric.shown_at != local) continue;
    const Outcome& outcome = computation.metric(i);
    const bool has_unit = !metric.scale.unit.empty();
    StatMetric made{.format = has_unit ? StatMetric::Format::Scaled : StatMetric::Format::Plain,
                    .unit = has_unit ? fmt::format("{}  {}", metric.scale.unit, metric.name) : metric.name,
                    .reason = outcome.reason};
    if (outcome.value) made.value = *outcome.value * metric.scale.factor;
    if (outcome.value && metric.threshold)
      if (const Outcome bad = computation.formula(*metric.threshold); bad.value) made.is_bad = *bad.value != 0;
    shown.push_back(std::move(made));
  }
  return shown;
}

}  // namespace peregrine
