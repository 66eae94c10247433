#include "output/text/stat/stat_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "base/types.h"
#include "event/spec.h"
#include "output/text/format/grouped_number.h"
#include "output/text/format/metric_value.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

constexpr std::size_t kCountWidth = 18, kUnitWidth = 4, kStatNameWidth = 32, kUncountedNameWidth = 25,
                      kStatMetricWidth = 35;
constexpr std::string_view kNotCounted = "<not counted>", kNotSupported = "<not supported>";

std::size_t unit_width(const StatTable& table) {
  std::size_t width = kUnitWidth;
  for (const EventSpec& spec : table.events()) width = std::max(width, stat_unit(spec).size());
  return width;
}

// Display columns of UTF-8 text, assuming one per character.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// Formats "S0-D0-C1", padding only the last number.
std::string padded_number(const std::string& label, unsigned members) {
  const std::size_t number = label.find_last_not_of("0123456789") + 1;
  return fmt::format("{}{:<8} {:>4} ", label.substr(0, number), label.substr(number), members);
}

std::string place_prefix(const StatTable& table, const StatRow& row) {
  const StatPlace& place = table.places()[row.place];
  switch (table.aggregation()) {
    case StatAggregation::Global:
      return {};
    case StatAggregation::Cpu:
      return fmt::format("{:<10} ", place.label);
    case StatAggregation::Thread:
      return fmt::format("{:>16}-{:<8} ", place.comm, place.thread);
    case StatAggregation::Core:
    case StatAggregation::Die:
      return padded_number(place.label, row.members);
    case StatAggregation::Cluster:
      return fmt::format("{:<16} {:>4} ", place.label, row.members);
    case StatAggregation::Cache:
      return fmt::format("{:<22} {:>4} ", place.label, row.members);
    case StatAggregation::Socket:
    case StatAggregation::Node:
      return fmt::format("{:<6} {:>4} ", place.label, row.members);
  }
  return {};
}

std::string metric_text(const StatMetric& metric, bool color) {
  const std::string value = metric_column(metric);
  const std::size_t left = kStatMetricWidth - std::min(kStatMetricWidth, value.size() + 4);
  return fmt::format(" # {} {:<{}}", red_if_bad(metric, value, color), metric.unit, left);
}

// The metrics on the row's line: the first one and those that share its line.
std::string first_metrics(const StatRow& row, bool color) {
  std::string text;
  for (std::size_t i = 0; i < row.metrics.size() && (i == 0 || row.metrics[i].same_line); ++i)
    if (row.metrics[i].value) text += metric_text(row.metrics[i], color);
  return text;
}

// The metrics that get separate lines.
std::vector<const StatMetric*> later_metrics(const StatRow& row) {
  std::vector<const StatMetric*> later;
  for (std::size_t i = 1; i < row.metrics.size(); ++i)
    if (row.metrics[i].value && (!row.metrics[i].same_line || !later.empty())) later.push_back(&row.metrics[i]);
  return later;
}

void print_row(const StatTable& table, const StatRow& row, const StatTextStyle& style, std::size_t units, Sink& out) {
  const EventSpec& spec = table.events()[row.event];
  const std::string prefix = stat_row_prefix(table, row, style.interval_ns);
  std::string head = prefix;
  if (row.state == StatState::Counted) {
    const bool whole = spec.scale == 1.0;
    const std::string number = grouped_number(fmt::format("{:.{}f}", row.value, whole ? 0 : 2), style.thousands);
    const std::size_t columns = columns_of(number);
    head.append(kCountWidth - std::min(kCountWidth, columns), ' ');
    head += number;
  } else {
    head += fmt::format("{:>{}}", row.state == StatState::NotCounted ? kNotCounted : kNotSupported, kCountWidth);
  }
  out.append(head)
      .append(' ')
      .left(stat_unit(spec), units)
      .append(' ')
      .left(spec.decoded.empty() ? spec.name : fmt::format("{} ({})", spec.name, spec.decoded),
            row.state == StatState::Counted ? kStatNameWidth : kUncountedNameWidth);
  const std::string cgroup = table.has_cgroups() ? ' ' + printable(spec.cgroup_name) : std::string();
  out.append(cgroup);
  if (row.state != StatState::Counted) {
    out.fill(' ', kStatMetricWidth).append('\n');
    return;
  }
  const std::string first = first_metrics(row, style.color);
  out.append(first.empty() ? std::string(kStatMetricWidth, ' ') : first);
  if (row.noise_percent != 0) out.format("  ( +-{:6.2f}% )", row.noise_percent);
  if (row.running_ns != row.enabled_ns)
    out.format("  ({:.2f}%)", 100.0 * static_cast<double>(row.running_ns) / static_cast<double>(row.enabled_ns));
  out.append('\n');
  const std::size_t before =
      columns_of(head) + 1 + units + 1 + kStatNameWidth + columns_of(cgroup) - columns_of(prefix);
  for (const StatMetric* metric : later_metrics(row))
    out.append(prefix).fill(' ', before).append(metric_text(*metric, style.color)).append('\n');
}

// Number of decimals to print: two more than the uncertainty justifies.
int decimals_for(double error) {
  if (error > 1 || error <= 0) return 2;
  return static_cast<int>(std::lround(std::ceil(-std::log10(error)))) + 2;
}

void print_noise(double error, double mean, Sink& out) {
  const double percent = mean == 0 ? 0 : 100.0 * error / mean;
  if (percent != 0) out.format("  ( +-{:6.2f}% )", percent);
}

// Prints each run, its difference from the mean, and one mark per 5% of difference.
void print_run_table(const StatTable& table, int decimals, double mean, Sink& out) {
  const std::string indent(static_cast<std::size_t>(16 - std::min(decimals, 16)), ' ');
  out.format("{}# Table of individual measurements:\n", indent);
  for (const double wall : table.walls()) {
    const double seconds = wall / 1e9, difference = seconds - mean;
    out.format(" {:17.{}f} ({:+.{}f}) ", seconds, decimals, difference, decimals);
    const double percent = seconds > 0 ? std::fabs(difference) * 100.0 / seconds : 0;
    out.fill('#', static_cast<std::size_t>(std::min(percent, 1e4)) / 5 + 1).append('\n');
  }
  out.format("\n{}# Final result:\n", indent);
}

}  // namespace

std::string stat_interval_time(u64 since_start_ns) {
  return fmt::format("{:6}.{:09}", since_start_ns / 1000000000, since_start_ns % 1000000000);
}

std::string stat_row_prefix(const StatTable& table, const StatRow& row, std::optional<u64> interval_ns) {
  std::string prefix;
  if (interval_ns) prefix = stat_interval_time(*interval_ns) + ' ';
  return prefix + place_prefix(table, row);
}

void print_stat_title(std::string_view what, u64 runs, Sink& out) {
  out.append("\n Performance counter stats for ").append(printable(what));
  if (runs > 1) out.format(" ({} runs)", runs);
  out.append(":\n\n");
}

void print_stat_interval_title(const StatTable& table, Sink& out) {
  std::string_view place;
  switch (table.aggregation()) {
    case StatAggregation::Global:
      break;
    case StatAggregation::Cpu:
      place = "CPU        ";
      break;
    case StatAggregation::Core:
      place = "core            cpus ";
      break;
    case StatAggregation::Die:
      place = "die          cpus ";
      break;
    case StatAggregation::Cluster:
      place = "cluster          cpus ";
      break;
    case StatAggregation::Cache:
      place = "cache                  cpus ";
      break;
    case StatAggregation::Socket:
      place = "socket cpus ";
      break;
    case StatAggregation::Node:
      place = "node   cpus ";
      break;
    case StatAggregation::Thread:
      place = "            comm-pid      ";
      break;
  }
  out.append("#           time ").append(place).append("            counts ");
  out.left("unit", unit_width(table)).append(" events\n");
}

void print_stat_rows(const StatTable& table, std::span<const StatRow> rows, const StatTextStyle& style, Sink& out) {
  const std::size_t units = unit_width(table);
  for (const StatRow& row : rows) print_row(table, row, style, units, out);
}

void print_missing_metrics(std::span<const StatRow> rows, const StatTable& table, Sink& out) {
  std::vector<std::string> lines;
  for (const StatRow& row : rows)
    for (const StatMetric& metric : row.metrics) {
      if (metric.value || metric.reason.empty()) continue;
      std::string line =
          fmt::format(" # no '{}' for {}: {}\n", metric.unit, table.events()[row.event].name, metric.reason);
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
  if (!lines.empty()) out.append('\n');
  for (const std::string& line : lines) out.append(line);
}

void print_stat_footer(const StatTable& table, const StatFooter& footer, const StatTextStyle& style, Sink& out) {
  const double mean = table.wall().mean() / 1e9;
  if (footer.any_event) out.append('\n');
  if (table.runs() <= 1) {
    out.format(" {:17.9f} seconds time elapsed", mean);
    if (footer.user_s && footer.system_s)
      out.format("\n\n {:17.9f} seconds user\n {:17.9f} seconds sys\n", *footer.user_s, *footer.system_s);
  } else {
    const double error = table.wall().error() / 1e9;
    const int decimals = decimals_for(error);
    if (style.show_run_table) print_run_table(table, decimals, mean, out);
    out.format(" {:17.{}f} +- {:.{}f} seconds time elapsed", mean, decimals, error, decimals);
    print_noise(error, mean, out);
  }
  out.append("\n\n");
}

}  // namespace peregrine
