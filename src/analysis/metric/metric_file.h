// Reads metrics from JSON in the format of linux-perf's pmu-events files: an array of objects with MetricName,
// MetricExpr, MetricGroup, BriefDescription, PublicDescription, ScaleUnit, MetricThreshold, MetricConstraint,
// MetricgroupNoGroup, DefaultMetricgroupName and Unit. Ignores objects without MetricExpr (events). Untrusted text.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/metric/metric_definition.h"
#include "base/result.h"

namespace peregrine {

struct MetricFile {
  std::vector<MetricDefinition> metrics;
  std::vector<Error> problems;  // for skipped metrics
};

// `name`: of the file, for messages. Errors (Malformed): invalid JSON, or not an array of objects.
Result<MetricFile> read_metric_file(std::string_view text, std::string_view name);

}  // namespace peregrine
