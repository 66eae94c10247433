#include "analysis/metric/metric_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "analysis/metric/expression.h"

namespace peregrine {

namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> split_groups(std::string_view text) {
  std::vector<std::string> groups;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    std::string_view group = text.substr(0, end);
    while (group.starts_with(' ')) group.remove_prefix(1);
    while (group.ends_with(' ')) group.remove_suffix(1);
    if (!group.empty()) groups.emplace_back(group);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return groups;
}

Result<MetricConstraint> constraint_of(const std::string& text) {
  if (text.empty()) return MetricConstraint::None;
  if (text == "NO_GROUP_EVENTS") return MetricConstraint::NoGroup;
  if (text == "NO_NMI_WATCHDOG" || text == "NO_GROUP_EVENTS_NMI") return MetricConstraint::NoGroupWithWatchdog;
  if (text == "NO_GROUP_EVENTS_SMT") return MetricConstraint::NoGroupWithSmt;
  if (text == "NO_THRESHOLD_AND_NMI") return MetricConstraint::NoGroupWithThresholdAndWatchdog;
  return fail(ErrorKind::Malformed, "unknown MetricConstraint '{}'", text);
}

Result<MetricDefinition> definition_of(const Json& object) {
  MetricDefinition metric{.name = text_of(object, "MetricName"),
                          .expression = text_of(object, "MetricExpr"),
                          .groups = split_groups(text_of(object, "MetricGroup")),
                          .description = text_of(object, "BriefDescription"),
                          .long_description = text_of(object, "PublicDescription"),
                          .scale_unit = text_of(object, "ScaleUnit"),
                          .threshold = text_of(object, "MetricThreshold"),
                          .ungrouped_in = text_of(object, "MetricgroupNoGroup"),
                          .default_group_name = text_of(object, "DefaultMetricgroupName"),
                          .pmu = text_of(object, "Unit")};
  if (metric.name.empty()) return fail(ErrorKind::Malformed, "missing MetricName");
  auto constraint = constraint_of(text_of(object, "MetricConstraint"));
  if (!constraint) return std::unexpected(std::move(constraint.error()));
  metric.constraint = *constraint;
  if (auto parsed = MetricExpression::parse(metric.expression); !parsed)
    return std::unexpected(std::move(parsed.error()));
  if (!metric.threshold.empty())
    if (auto parsed = MetricExpression::parse(metric.threshold); !parsed)
      return std::unexpected(std::move(parsed.error()));
  return metric;
}

}  // namespace

Result<MetricFile> read_metric_file(std::string_view text, std::string_view name) {
  const Json json = Json::parse(text, nullptr, false, true);
  if (json.is_discarded() || !json.is_array())
    return std::unexpected(
        Error{ErrorKind::Malformed, fmt::format("{}: not a JSON array of metrics", name),
              "expected the format of linux-perf's pmu-events: [{\"MetricName\": …, \"MetricExpr\": …}]"});
  MetricFile file;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Json& object = json[i];
    if (!object.is_object()) {
      file.problems.push_back({ErrorKind::Malformed, fmt::format("{}: entry {} is not an object", name, i + 1)});
      continue;
    }
    if (!object.contains("MetricExpr")) continue;
    auto metric = definition_of(object);
    if (!metric) {
      Error& error = metric.error();
      error.message = fmt::format("{}: entry {} '{}': {}", name, i + 1, text_of(object, "MetricName"), error.message);
      file.problems.push_back(std::move(error));
      continue;
    }
    metric->origin = fmt::format("{}, entry {}", name, i + 1);
    file.metrics.push_back(std::move(*metric));
  }
  return file;
}

}  // namespace peregrine
