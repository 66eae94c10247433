// Metrics in stat: turns -M and the presets --topdown, -T and --smi-cost into events.
#pragma once
#include "analysis/metric/metric_set.h"
#include "base/result.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "session/counting/plan/stat_request.h"
#include "session/session_listener.h"

namespace peregrine {

// Appends the presets' events to those of -e, and sets what they imply: metrics only, sums by core. Errors: Usage;
// Unsupported, the CPU lacks the events.
Result<> add_preset_events(StatRequest& request, SessionListener& listener);

// Appends the events of -M to `events`; with `by_default` (neither -e nor -M was given), those of the metrics in the
// group "Default" of the user's files. Errors: as plan_metrics.
Result<MetricSet> add_metric_events(StatRequest& request, SessionListener& listener, const Target& target,
                                    bool by_default, EventList& events);

}  // namespace peregrine
