// Formats a metric's number, uniformly for the screen, -x and metric tables.
#pragma once
#include <string>

#include "analysis/stat/stat_metric.h"

namespace peregrine {

// In a column: "   50.00%", "   3.333", "    2000". Empty without a value.
std::string metric_column(const StatMetric& metric);
// Colours `text` red if the metric exceeds its threshold and `color` is set.
std::string red_if_bad(const StatMetric& metric, const std::string& text, bool color);
// Only the digits: "50.00". Empty without a value.
std::string metric_digits(const StatMetric& metric);

}  // namespace peregrine
