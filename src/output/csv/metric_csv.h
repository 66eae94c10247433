// stat --metric-only -x: a header line, then one line per place; a separator follows every field.
#pragma once
#include <span>

#include "analysis/stat/stat_table.h"
#include "output/csv/stat_csv.h"
#include "output/sink.h"

namespace peregrine {

void print_metric_csv(const StatTable& table, std::span<const StatRow> rows, const StatCsvStyle& style,
                      bool show_titles, Sink& out);

}  // namespace peregrine
