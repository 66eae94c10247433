// stat --metric-only -x: a line of titles, then one line for each place; every field has a separator behind it.
#pragma once
#include "output/csv/stat_csv.h"

namespace peregrine {

void print_metric_csv(const StatTable& table, std::span<const StatRow> rows, const StatCsvStyle& style,
                      bool show_titles, Sink& out);

}  // namespace peregrine
