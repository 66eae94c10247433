// How a metric's number looks: one spelling for the screen, for -x and for tables of metrics.
#pragma once
#include <string>

#include "analysis/stat/stat_metric.h"

namespace peregrine {

// In a column: "   50.00%", "   3.333", "    2000". Empty without a value.
std::string metric_column(const StatMetric& metric);
// `text` in red when the metric's threshold says so and colours are wanted.
std::string red_if_bad(const StatMetric& metric, std::string text, bool color);
// The digits alone: "50.00". Empty without a value.
std::string metric_digits(const StatMetric& metric);

}  // namespace peregrine
