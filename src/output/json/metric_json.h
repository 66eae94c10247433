// stat --metric-only -j: one object per place, metrics by name; null for a metric without value.
#pragma once
#include <span>

#include "analysis/stat/stat_table.h"
#include "output/json/stat_json.h"
#include "output/sink.h"

namespace peregrine {

void print_metric_json(const StatTable& table, std::span<const StatRow> rows, const StatJsonStyle& style, Sink& out);

}  // namespace peregrine
