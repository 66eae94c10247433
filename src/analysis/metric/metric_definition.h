// MetricDefinition: a named formula over events, as linux-perf's JSON files, a user's own and the built-in table give
// it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace peregrine {

// When the events of a metric are not put into one group.
enum class MetricConstraint {
  None,
  NoGroup,                          // NO_GROUP_EVENTS: never
  NoGroupWithWatchdog,              // NO_NMI_WATCHDOG, NO_GROUP_EVENTS_NMI: while the NMI watchdog holds a counter
  NoGroupWithSmt,                   // NO_GROUP_EVENTS_SMT: while hardware threads share a core's counters
  NoGroupWithThresholdAndWatchdog,  // NO_THRESHOLD_AND_NMI: it fits beside the watchdog without the threshold's events
};

struct MetricDefinition {
  std::string name;
  std::string expression;           // MetricExpression's grammar
  std::vector<std::string> groups;  // "TopdownL1", …
  std::string description, long_description;
  std::string scale_unit;  // "100%", "1e-9GHz": a factor and what to print behind
  std::string threshold;   // true where the value deserves attention
  MetricConstraint constraint = MetricConstraint::None;
  std::string ungrouped_in;        // MetricgroupNoGroup: not grouped when asked for by one of these groups; "A;B"
  std::string default_group_name;  // DefaultMetricgroupName: the heading under which a default run shows it
  std::string pmu;                 // Unit: the PMU whose events it needs
  std::string origin;              // where it was read: "metrics.json:12", or "built-in"
};

// "100%" → 100 and "%"; a text without a number is a unit alone.
struct MetricScale {
  double factor = 1;
  std::string unit;
};
MetricScale metric_scale(std::string_view scale_unit);

}  // namespace peregrine
