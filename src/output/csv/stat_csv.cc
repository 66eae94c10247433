#include "output/csv/stat_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "event/spec.h"
#include "output/text/format/metric_value.h"
#include "output/text/format/printable.h"
#include "output/text/stat/stat_text.h"

namespace peregrine {

namespace {

// Separators before a metric on a line without an event. The numbers are linux-perf's, and match the columns only for
// some aggregations.
int fields_before_metric(StatAggregation aggregation) {
  switch (aggregation) {
    case StatAggregation::Global:
      return 4;
    case StatAggregation::Core:
    case StatAggregation::Die:
    case StatAggregation::Socket:
      return 6;
    default:
      return 5;
  }
}

// The text with the separator's first byte as \xNN, since a thread's name must not shift the columns.
std::string one_field(std::string_view text, std::string_view separator) {
  std::string result;
  while (!text.empty()) {
    const std::size_t plain = separator.empty() ? text.size() : std::min(text.find(separator), text.size());
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    result += fmt::format("\\x{:02x}{}", static_cast<unsigned char>(text.front()), separator.substr(1));
    text.remove_prefix(separator.size());
  }
  return result;
}

void print_row(const StatTable& table, const StatRow& row, const StatCsvStyle& style, Sink& out) {
  const EventSpec& spec = table.events()[row.event];
  const std::string& sep = style.separator;
  const std::string head = stat_csv_head(table, row, style);
  out.append(head);
  switch (row.state) {
    case StatState::NotCounted:
      out.append("<not counted>");
      break;
    case StatState::NotSupported:
      out.append("<not supported>");
      break;
    case StatState::Counted:
      out.append(fmt::format("{:.{}f}", row.value, spec.scale == 1.0 ? 0 : 2));
      break;
  }
  out.append(sep).append(stat_unit(spec)).append(sep).append(spec.name).append(sep);
  if (table.has_cgroups()) out.append(one_field(printable(spec.cgroup_name), sep)).append(sep);
  if (style.noise) out.format("{:.2f}%{}", row.noise_percent, sep);
  const double share =
      row.enabled_ns == 0 ? 100.0 : 100.0 * static_cast<double>(row.running_ns) / static_cast<double>(row.enabled_ns);
  out.format("{}{}{:.2f}{}", row.running_ns, sep, share, sep);
  bool on_row = true;
  for (std::size_t i = 0; i < row.metrics.size() || i == 0; ++i) {
    const StatMetric metric = row.metrics.empty() ? StatMetric{} : row.metrics[i];
    if (i > 0 && !metric.value) continue;
    on_row = on_row && (i == 0 || metric.same_line);
    if (i > 0 && !on_row) {
      out.append('\n').append(head);
      const int fields = fields_before_metric(table.aggregation()) + (table.has_cgroups() ? 1 : 0);
      for (int field = 0; field < fields; ++field) out.append(sep);
    } else if (i > 0) {
      out.append(sep);
    }
    out.append(metric_digits(metric)).append(sep).append(metric.value ? metric.unit : std::string());
  }
  out.append('\n');
}

}  // namespace

std::string stat_csv_head(const StatTable& table, const StatRow& row, const StatCsvStyle& style) {
  std::string head = style.first_field.empty() ? std::string() : style.first_field + style.separator;
  if (style.interval_ns) head = stat_interval_time(*style.interval_ns) + style.separator;
  const StatPlace& place = table.places()[row.place];
  switch (table.aggregation()) {
    case StatAggregation::Global:
      break;
    case StatAggregation::Cpu:
      head += place.label + style.separator;
      break;
    case StatAggregation::Thread:
      head += one_field(place.label, style.separator) + style.separator;
      break;
    default:
      head += fmt::format("{}{}{}{}", place.label, style.separator, row.members, style.separator);
  }
  return head;
}

void print_stat_csv(const StatTable& table, std::span<const StatRow> rows, const StatCsvStyle& style, Sink& out) {
  for (const StatRow& row : rows) print_row(table, row, style, out);
}

}  // namespace peregrine
