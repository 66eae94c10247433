#include "output/json/stat_json.h"

#include "output/json/json_text.h"

namespace peregrine {

namespace {

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

void print_row(const StatTable& table, const StatRow& row, const StatJsonStyle& style, Sink& out) {
  const EventSpec& spec = table.events()[row.event];
  const StatPlace& place = table.places()[row.place];
  out.append('{');
  if (style.interval_ns)
    out.format("\"interval\" : {}.{:09}, ", *style.interval_ns / 1000000000, *style.interval_ns % 1000000000);
  if (const auto key = place_key(table.aggregation()); !key.empty())
    out.format("\"{}\" : \"{}\", ", key, json_escaped(place.name));
  if (!place.label.empty() && table.aggregation() != StatAggregation::Cpu &&
      table.aggregation() != StatAggregation::Thread)
    out.format("\"aggregate-number\" : {}, ", row.members);
  const std::string value = row.state == StatState::Counted      ? fmt::format("{:f}", row.value)
                            : row.state == StatState::NotCounted ? "<not counted>"
                                                                 : "<not supported>";
  out.format("\"counter-value\" : \"{}\", \"unit\" : \"{}\", \"event\" : \"{}\", ", value,
             json_escaped(stat_unit(spec)), json_escaped(spec.name));
  if (table.has_cgroups()) out.format("\"cgroup\" : \"{}\", ", json_escaped(spec.cgroup_name));
  if (style.noise) out.format("\"variance\" : {:.2f}, ", row.noise_percent);
  const double share =
      row.enabled_ns == 0 ? 100.0 : 100.0 * static_cast<double>(row.running_ns) / static_cast<double>(row.enabled_ns);
  out.format("\"event-runtime\" : {}, \"pcnt-running\" : {:.2f}, ", row.running_ns, share);
  // A counted event without a metric has linux-perf print this very unit.
  const std::string_view no_unit = row.state == StatState::Counted ? "(null)" : "";
  const StatMetric* metric = row.metrics.empty() ? nullptr : &row.metrics.front();
  out.format("\"metric-value\" : {:f}, \"metric-unit\" : \"{}\"}}\n", metric != nullptr ? metric->value : 0.0,
             metric != nullptr ? std::string_view(metric->unit) : no_unit);
}

}  // namespace

void print_stat_json(const StatTable& table, std::span<const StatRow> rows, const StatJsonStyle& style, Sink& out) {
  for (const StatRow& row : rows) print_row(table, row, style, out);
}

}  // namespace peregrine
