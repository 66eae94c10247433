// The metrics of this user: the built-in ones, and those of files in the format of linux-perf's pmu-events.
#pragma once
#include <span>
#include <string>

#include "analysis/metric/metric_catalogue.h"
#include "session/session_listener.h"

namespace peregrine {

// A later metric replaces an earlier one of the same name, also a built-in one. Files that cannot be read and invalid
// metrics are left out, each with a warning.
MetricCatalogue load_metrics(std::span<const std::string> files, SessionListener& listener);

}  // namespace peregrine
