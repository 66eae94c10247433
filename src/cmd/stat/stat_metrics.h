// Metrics in stat: -M and the presets --topdown, -T and --smi-cost, from options to events.
#pragma once
#include <optional>
#include <string>

#include "analysis/metric/metric_set.h"
#include "capture/target/target.h"

namespace peregrine::cmd {

struct Invocation;
struct StatRequest;

struct StatMetricRequest {
  std::string words;  // -M, joined by commas
  MetricOptions options;
  std::optional<bool> only;  // --metric-only; unset: as the preset wants
  bool topdown = false, transaction = false, smi_cost = false;
  unsigned level = 0;  // of --topdown; 0: all there are
};

// Puts the presets' events behind those of -e, and decides what they imply: metrics only, sums by core. Errors: Usage;
// Unsupported, the CPU does not have the events.
Result<> add_preset_events(StatRequest& request, const Invocation& call);

// Appends the events of -M to `events`; `by_default`, where neither -e nor -M was given, those of the metrics that the
// user's files put into the group "Default". Errors: as plan_metrics.
Result<MetricSet> add_metric_events(StatRequest& request, const Invocation& call, const Target& target, bool by_default,
                                    EventList& events);

}  // namespace peregrine::cmd
