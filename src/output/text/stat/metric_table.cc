#include "output/text/stat/metric_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "analysis/stat/stat_metric.h"
#include "output/text/format/metric_value.h"
#include "output/text/stat/stat_text.h"

namespace peregrine {

namespace {

constexpr std::size_t kColumnWidth = 20;

bool has_column(const StatMetric& metric) { return metric.unit != "CPUs utilized" && !metric.unit.ends_with("/sec"); }

// "of all branches" means nothing without its event.
std::string title_of(const StatTable& table, std::size_t event, const std::string& unit) {
  return unit.starts_with("of all") ? table.events()[event].name + " " + unit : unit;
}

}  // namespace

MetricColumns::MetricColumns(const StatTable& table, std::span<const StatRow> rows) {
  std::vector<const StatRow*> by_event;
  for (const StatRow& row : rows) by_event.push_back(&row);
  std::ranges::stable_sort(by_event, {}, &StatRow::event);
  for (const StatRow* row : by_event)
    for (const StatMetric& metric : row->metrics)
      if (const Key key{row->event, metric.unit}; has_column(metric) && std::ranges::find(keys_, key) == keys_.end()) {
        keys_.push_back(key);
        titles_.push_back(title_of(table, row->event, metric.unit));
      }
  std::vector<std::size_t> line_of(table.places().size(), rows.size());
  for (const StatRow& row : rows) {
    if (line_of[row.place] == rows.size()) {
      line_of[row.place] = lines_.size();
      lines_.push_back({&row, std::vector<const StatMetric*>(keys_.size(), nullptr)});
    }
    Line& line = lines_[line_of[row.place]];
    for (const StatMetric& metric : row.metrics)
      if (const auto key = std::ranges::find(keys_, Key{row.event, metric.unit}); key != keys_.end())
        line.metrics[static_cast<std::size_t>(key - keys_.begin())] = &metric;
  }
}

void print_metric_table(const StatTable& table, std::span<const StatRow> rows, const MetricTableStyle& style,
                        Sink& out) {
  const MetricColumns columns(table, rows);
  if (columns.lines().empty()) return;
  if (style.show_titles) {
    std::string prefix = style.interval_ns ? "#           time " : "";
    prefix.resize(stat_row_prefix(table, *columns.lines().front().row, style.interval_ns).size(), ' ');
    out.append(prefix);
    for (const std::string& title : columns.titles()) out.format("{:>{}} ", title, kColumnWidth);
    out.append('\n');
  }
  for (const MetricColumns::Line& line : columns.lines()) {
    out.append(stat_row_prefix(table, *line.row, style.interval_ns));
    for (std::size_t i = 0; i < line.metrics.size(); ++i) {
      const std::size_t width = std::max(kColumnWidth, columns.titles()[i].size());
      const StatMetric none, &metric = line.metrics[i] != nullptr ? *line.metrics[i] : none;
      out.append(red_if_bad(metric, fmt::format("{:>{}}", metric_column(metric), width), style.color)).append(' ');
    }
    out.append('\n');
  }
}

}  // namespace peregrine
