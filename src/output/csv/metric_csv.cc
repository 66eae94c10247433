#include "output/csv/metric_csv.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "output/sink.h"
#include "output/text/format/metric_value.h"
#include "output/text/stat/metric_table.h"

namespace peregrine {

namespace {

// Titles of the fields that stat_csv_head() writes.
std::string head_titles(StatAggregation aggregation, const StatCsvStyle& style) {
  const std::string& sep = style.separator;
  std::string titles = style.interval_ns ? "time" + sep : std::string();
  const auto place = [&](std::string_view name) { return fmt::format("{}{}cpus{}", name, sep, sep); };
  switch (aggregation) {
    case StatAggregation::Global:
      return titles;
    case StatAggregation::Cpu:
      return titles + "cpu" + sep;
    case StatAggregation::Thread:
      return titles + "comm-pid" + sep;
    case StatAggregation::Core:
      return titles + place("core");
    case StatAggregation::Cluster:
      return titles + place("cluster");
    case StatAggregation::Die:
      return titles + place("die");
    case StatAggregation::Cache:
      return titles + place("cache");
    case StatAggregation::Socket:
      return titles + place("socket");
    case StatAggregation::Node:
      return titles + place("node");
  }
  return titles;
}

}  // namespace

void print_metric_csv(const StatTable& table, std::span<const StatRow> rows, const StatCsvStyle& style,
                      bool show_titles, Sink& out) {
  const MetricColumns columns(table, rows);
  if (show_titles) {
    out.append(head_titles(table.aggregation(), style));
    for (const std::string& title : columns.titles()) out.append(title).append(style.separator);
    out.append('\n');
  }
  for (const MetricColumns::Line& line : columns.lines()) {
    out.append(stat_csv_head(table, *line.row, style));
    for (const StatMetric* metric : line.metrics)
      out.append(metric != nullptr ? metric_digits(*metric) : std::string()).append(style.separator);
    out.append('\n');
  }
}

}  // namespace peregrine
