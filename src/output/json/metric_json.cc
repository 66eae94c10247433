#include "output/json/metric_json.h"

#include <cstddef>
#include <span>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_table.h"
#include "output/json/json_document.h"
#include "output/sink.h"
#include "output/text/format/metric_value.h"
#include "output/text/stat/metric_table.h"

namespace peregrine {

void print_metric_json(const StatTable& table, std::span<const StatRow> rows, const StatJsonStyle& style, Sink& out) {
  const MetricColumns columns(table, rows);
  for (const MetricColumns::Line& line : columns.lines()) {
    JsonDocument json(out, JsonLayout::Spaced);
    json.object([&] {
      put_stat_place(json, table, *line.row, style);
      for (std::size_t i = 0; i < line.metrics.size(); ++i) {
        const StatMetric* metric = line.metrics[i];
        json.key(columns.titles()[i]);
        if (metric != nullptr && metric->value)
          json.value(metric_digits(*metric));
        else
          json.value(nullptr);
      }
    });
    out.append('\n');
  }
}

}  // namespace peregrine
