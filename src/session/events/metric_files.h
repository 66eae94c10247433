// The user's metrics: the built-in ones, and those from files in the format of linux-perf's pmu-events.
#pragma once
#include <span>
#include <string>

#include "analysis/metric/metric_catalogue.h"
#include "session/session_listener.h"

namespace peregrine {

// A later metric replaces an earlier or built-in one with the same name. Skips unreadable files and invalid metrics,
// each with a warning.
MetricCatalogue load_metrics(std::span<const std::string> files, SessionListener& listener);

}  // namespace peregrine
