// MetricDefinition: a named formula over events, from linux-perf's JSON files, a user's file or the built-in table.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace peregrine {

// When not to put a metric's events into one group.
enum class MetricConstraint {
  None,
  NoGroup,                          // NO_GROUP_EVENTS: never
  NoGroupWithWatchdog,              // NO_NMI_WATCHDOG, NO_GROUP_EVENTS_NMI: while the NMI watchdog occupies a counter
  NoGroupWithSmt,                   // NO_GROUP_EVENTS_SMT: while SMT threads share a core's counters
  NoGroupWithThresholdAndWatchdog,  // NO_THRESHOLD_AND_NMI: without the threshold's events it fits next to the watchdog
};

struct MetricDefinition {
  std::string name;
  std::string expression;           // MetricExpression's grammar
  std::vector<std::string> groups;  // "TopdownL1", …
  std::string description, long_description;
  std::string scale_unit;  // "100%", "1e-9GHz": a factor and a unit
  std::string threshold;   // true if the value deserves attention
  MetricConstraint constraint = MetricConstraint::None;
  std::string ungrouped_in;        // MetricgroupNoGroup: not grouped if requested through one of these groups; "A;B"
  std::string default_group_name;  // DefaultMetricgroupName: its heading in a default run
  std::string pmu;                 // Unit: the PMU of its events
  std::string origin;              // its source: "metrics.json:12", or "built-in"
};

// "100%" → 100 and "%"; a text without a number is only a unit.
struct MetricScale {
  double factor = 1;
  std::string unit;
};
MetricScale metric_scale(std::string_view scale_unit);

}  // namespace peregrine
