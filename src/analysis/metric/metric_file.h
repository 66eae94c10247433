// Metrics from JSON in the shape of linux-perf's pmu-events files: an array of objects with MetricName, MetricExpr,
// MetricGroup, BriefDescription, PublicDescription, ScaleUnit, MetricThreshold, MetricConstraint, MetricgroupNoGroup,
// DefaultMetricgroupName and Unit. Objects without MetricExpr are events and belong to others. Untrusted text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/metric_definition.h"
#include "base/result.h"

namespace peregrine {

struct MetricFile {
  std::vector<MetricDefinition> metrics;
  std::vector<Error> problems;  // of single metrics, which are left out
};

// `name`: of the file, for messages. Errors (Malformed): no JSON, or no array of objects.
Result<MetricFile> read_metric_file(std::string_view text, std::string_view name);

}  // namespace peregrine
