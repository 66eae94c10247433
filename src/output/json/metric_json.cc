#include "output/json/metric_json.h"

#include <cstddef>
#include <span>
#include <string>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_table.h"
#include "output/json/json_text.h"
#include "output/sink.h"
#include "output/text/format/metric_value.h"
#include "output/text/stat/metric_table.h"

namespace peregrine {

void print_metric_json(const StatTable& table, std::span<const StatRow> rows, const StatJsonStyle& style, Sink& out) {
  const MetricColumns columns(table, rows);
  for (const MetricColumns::Line& line : columns.lines()) {
    std::string head = stat_json_head(table, *line.row, style);
    if (line.metrics.empty() && head.ends_with(", ")) head.resize(head.size() - 2);
    out.append(head);
    for (std::size_t i = 0; i < line.metrics.size(); ++i) {
      const StatMetric* metric = line.metrics[i];
      out.format("{}\"{}\" : ", i == 0 ? "" : ", ", json_escaped(columns.titles()[i]));
      if (metric != nullptr && metric->value)
        out.format("\"{}\"", metric_digits(*metric));
      else
        out.append("null");
    }
    out.append("}\n");
  }
}

}  // namespace peregrine
