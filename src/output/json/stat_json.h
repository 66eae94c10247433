// stat -j: one JSON object per row and line, with linux-perf's keys in its order; counts are strings, as in linux-perf.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct StatJsonStyle {
  std::optional<u64> interval_ns;  // -I
  bool noise = false;              // -r
};

// "cpu", "core", …: the key of a row's place; empty for Global.
std::string_view place_key(StatAggregation aggregation);
// Start of every object of a row: the brace, the time of -I, the place.
std::string stat_json_head(const StatTable& table, const StatRow& row, const StatJsonStyle& style);
void print_stat_json(const StatTable& table, std::span<const StatRow> rows, const StatJsonStyle& style, Sink& out);

}  // namespace peregrine
