#include "output/json/stat_json.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "event/spec.h"
#include "output/json/json_document.h"

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
  return !metric.value && metric.unit == "GHz" ? "Ghz" : metric.unit;
}

// The threshold as linux-perf has it since 6.8.
void put_metric(JsonDocument& json, double value, std::string_view unit, std::optional<bool> is_bad) {
  json.number("metric-value", value, "{:.6f}").member("metric-unit", unit);
  if (is_bad) json.member("metric-threshold", *is_bad ? "bad" : "good");
}

void put_count(JsonDocument& json, const StatTable& table, const StatRow& row, const StatJsonStyle& style) {
  const EventSpec& spec = table.events()[row.event];
  json.member("counter-value", row.state == StatState::Counted      ? fmt::format("{:f}", row.value)
                               : row.state == StatState::NotCounted ? "<not counted>"
                                                                    : "<not supported>");
  json.member("unit", stat_unit(spec)).member("event", spec.name);
  if (table.has_cgroups()) json.member("cgroup", spec.cgroup_name);
  if (style.noise) json.number("variance", row.noise_percent, "{:.2f}");
  const double share =
      row.enabled_ns == 0 ? 100.0 : 100.0 * static_cast<double>(row.running_ns) / static_cast<double>(row.enabled_ns);
  json.member("event-runtime", row.running_ns).key("pcnt-running").next().format("{:.2f}", share);
  const StatMetric* const metric = row.metrics.empty() ? nullptr : &row.metrics.front();
  put_metric(json, metric == nullptr ? 0 : metric->value.value_or(0), unit_of(row),
             metric == nullptr ? std::nullopt : metric->is_bad);
}

void print_row(const StatTable& table, const StatRow& row, const StatJsonStyle& style, Sink& out) {
  const auto print = [&](const auto& put_rest) {
    JsonDocument json(out, JsonLayout::Spaced);
    json.object([&] {
      put_stat_place(json, table, row, style);
      put_rest(json);
    });
    out.append('\n');
  };
  print([&](JsonDocument& json) { put_count(json, table, row, style); });
  for (std::size_t i = 1; i < row.metrics.size(); ++i)
    if (const StatMetric& metric = row.metrics[i]; metric.value)
      print([&](JsonDocument& json) { put_metric(json, *metric.value, metric.unit, metric.is_bad); });
}

}  // namespace

void put_interval(JsonDocument& json, std::optional<u64> interval_ns) {
  if (interval_ns)
    json.key("interval").next().format("{}.{:09}", *interval_ns / 1'000'000'000, *interval_ns % 1'000'000'000);
}

void put_stat_place(JsonDocument& json, const StatTable& table, const StatRow& row, const StatJsonStyle& style) {
  const StatPlace& place = table.places()[row.place];
  put_interval(json, style.interval_ns);
  const auto kind = table.is_core(row.place) ? StatAggregation::Core : table.aggregation();
  if (const auto key = place_key(kind); !key.empty()) json.member(key, place.name);
  if (!place.label.empty() && table.aggregation() != StatAggregation::Cpu &&
      table.aggregation() != StatAggregation::Thread)
    json.member("aggregate-number", row.members);
}

void print_stat_json(const StatTable& table, std::span<const StatRow> rows, const StatJsonStyle& style, Sink& out) {
  for (const StatRow& row : rows) print_row(table, row, style, out);
}

}  // namespace peregrine
