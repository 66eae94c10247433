// The metrics of this user: the built-in ones and those of event_files().
#pragma once
#include "analysis/metric/metric_catalogue.h"
#include "cli/frame/config.h"
#include "cli/frame/message.h"

namespace peregrine::cmd {

// A file that cannot be read and a metric that is wrong are left out, each with a warning.
MetricCatalogue load_metrics(const Config& config, Messages& messages);

}  // namespace peregrine::cmd
