#include "output/csv/stat_csv.h"

namespace peregrine {

namespace {

std::string head_of(const StatTable& table, const StatRow& row, const StatCsvStyle& style) {
  std::string head = style.first_field.empty() ? std::string() : style.first_field + style.separator;
  if (style.interval_ns)
    head =
        fmt::format("{:6}.{:09}{}", *style.interval_ns / 1000000000, *style.interval_ns % 1000000000, style.separator);
  const StatPlace& place = table.places()[row.place];
  switch (table.aggregation()) {
    case StatAggregation::Global:
      break;
    case StatAggregation::Cpu:
    case StatAggregation::Thread:
      head += place.label + style.separator;
      break;
    default:
      head += fmt::format("{}{}{}{}", place.label, style.separator, row.members, style.separator);
  }
  return head;
}

std::string number_of(const StatMetric& metric) {
  switch (metric.style) {
    case StatMetric::Style::Rate:
      return fmt::format("{:.3f}", metric.value);
    case StatMetric::Style::Ratio:
      return fmt::format("{:.2f}", metric.value);
    case StatMetric::Style::Percent:
      return fmt::format("{:.2f}", metric.value);
  }
  return {};
}

void print_row(const StatTable& table, const StatRow& row, const StatCsvStyle& style, Sink& out) {
  const EventSpec& spec = table.events()[row.event];
  const std::string& sep = style.separator;
  const std::string head = head_of(table, row, style);
  out.append(head);
  switch (row.state) {
    case StatState::NotCounted:
      out.append("<not counted>");
      break;
    case StatState::NotSupported:
      out.append("<not supported>");
      break;
    case StatState::Counted:
      out.append(fmt::format("{:.{}f}", row.value, stat_scale(spec) == 1.0 ? 0 : 2));
      break;
  }
  out.append(sep).append(stat_unit(spec)).append(sep).append(spec.name).append(sep);
  if (table.has_cgroups()) out.append(spec.cgroup_name).append(sep);
  if (style.noise) out.format("{:.2f}%{}", row.noise_percent, sep);
  const double share =
      row.enabled_ns == 0 ? 100.0 : 100.0 * static_cast<double>(row.running_ns) / static_cast<double>(row.enabled_ns);
  out.format("{}{}{:.2f}{}", row.running_ns, sep, share, sep);
  if (row.metrics.empty())
    out.append(sep);
  else
    out.append(number_of(row.metrics.front())).append(sep).append(row.metrics.front().unit);
  out.append('\n');
  for (std::size_t i = 1; i < row.metrics.size(); ++i) {
    out.append(head);
    for (int field = 0; field < (style.noise ? 6 : 5); ++field) out.append(sep);
    out.append(number_of(row.metrics[i])).append(sep).append(row.metrics[i].unit).append('\n');
  }
}

}  // namespace

void print_stat_csv(const StatTable& table, std::span<const StatRow> rows, const StatCsvStyle& style, Sink& out) {
  for (const StatRow& row : rows) print_row(table, row, style, out);
}

}  // namespace peregrine
