#include "output/json/stat_json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "event/spec.h"
#include "output/json/json_text.h"

namespace peregrine {

std::string_view place_key(StatAggregation aggregation) {
  switch (aggregation) {
    case StatAggregation::Global:
      break;
    case StatAggregation::Cpu:
      return "cpu";
    case StatAggregation::Core:
      return "core";
    case StatAggregation::Die:
      return "die";
    case StatAggregation::Cluster:
      return "cluster";
    case StatAggregation::Cache:
      return "cache";
    case StatAggregation::Socket:
      return "socket";
    case StatAggregation::Node:
      return "node";
    case StatAggregation::Thread:
      return "thread";
  }
  return {};
}

namespace {

// As in linux-perf, the unit is "(null)" without a metric, and "Ghz" for a GHz metric without a value.
std::string unit_of(const StatRow& row) {
  if (row.state != StatState::Counted) return {};
  if (row.metrics.empty()) return "(null)";
  const StatMetric& metric = row.metrics.front();
  return !metric.value && metric.unit == "GHz" ? "Ghz" : json_escaped(metric.unit);
}

// The result of the metric's threshold, in linux-perf's format since 6.8.
std::string_view threshold_of(const StatMetric& metric) {
  if (!metric.is_bad) return "";
  return *metric.is_bad ? ", \"metric-threshold\" : \"bad\"" : ", \"metric-threshold\" : \"good\"";
}

// JSON has neither infinities nor NaN.
std::string finite(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "null";
}

void print_row(const StatTable& table, const StatRow& row, const StatJsonStyle& style, Sink& out) {
  const EventSpec& spec = table.events()[row.event];
  const std::string head = stat_json_head(table, row, style);
  out.append(head);
  const std::string value = row.state == StatState::Counted      ? fmt::format("{:f}", row.value)
                            : row.state == StatState::NotCounted ? "<not counted>"
                                                                 : "<not supported>";
  out.format("\"counter-value\" : \"{}\", \"unit\" : \"{}\", \"event\" : \"{}\", ", value,
             json_escaped(stat_unit(spec)), json_escaped(spec.name));
  if (table.has_cgroups()) out.format("\"cgroup\" : \"{}\", ", json_escaped(spec.cgroup_name));
  if (style.noise) out.format("\"variance\" : {}, ", finite(row.noise_percent, 2));
  const double share =
      row.enabled_ns == 0 ? 100.0 : 100.0 * static_cast<double>(row.running_ns) / static_cast<double>(row.enabled_ns);
  out.format("\"event-runtime\" : {}, \"pcnt-running\" : {:.2f}, ", row.running_ns, share);
  out.format("\"metric-value\" : {}, \"metric-unit\" : \"{}\"{}}}\n",
             finite(row.metrics.empty() ? 0.0 : row.metrics.front().value.value_or(0), 6), unit_of(row),
             row.metrics.empty() ? "" : threshold_of(row.metrics.front()));
  for (std::size_t i = 1; i < row.metrics.size(); ++i)
    if (const StatMetric& metric = row.metrics[i]; metric.value)
      out.append(head).format("\"metric-value\" : {}, \"metric-unit\" : \"{}\"{}}}\n", finite(*metric.value, 6),
                              json_escaped(metric.unit), threshold_of(metric));
}

}  // namespace

std::string stat_json_head(const StatTable& table, const StatRow& row, const StatJsonStyle& style) {
  const StatPlace& place = table.places()[row.place];
  std::string head = "{";
  if (style.interval_ns)
    head += fmt::format("\"interval\" : {}.{:09}, ", *style.interval_ns / 1000000000, *style.interval_ns % 1000000000);
  const auto kind = table.is_core(row.place) ? StatAggregation::Core : table.aggregation();
  if (const auto key = place_key(kind); !key.empty())
    head += fmt::format("\"{}\" : \"{}\", ", key, json_escaped(place.name));
  if (!place.label.empty() && table.aggregation() != StatAggregation::Cpu &&
      table.aggregation() != StatAggregation::Thread)
    head += fmt::format("\"aggregate-number\" : {}, ", row.members);
  return head;
}

void print_stat_json(const StatTable& table, std::span<const StatRow> rows, const StatJsonStyle& style, Sink& out) {
  for (const StatRow& row : rows) print_row(table, row, style, out);
}

}  // namespace peregrine
