// stat -j: one JSON object per row and line, with linux-perf's keys in its order; counts are strings, as in linux-perf.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "base/types.h"
#include "output/json/json_document.h"
#include "output/sink.h"

namespace peregrine {

struct StatJsonStyle {
  std::optional<u64> interval_ns;  // -I
  bool noise = false;              // -r
};

// "cpu", "core", …: the key of a row's place; empty for Global.
std::string_view place_key(StatAggregation aggregation);
// The time of -I, if any: `"interval" : 1.000000002`.
void put_interval(JsonDocument& json, std::optional<u64> interval_ns);
// The first members of every object of a row: the time of -I, the place.
void put_stat_place(JsonDocument& json, const StatTable& table, const StatRow& row, const StatJsonStyle& style);
void print_stat_json(const StatTable& table, std::span<const StatRow> rows, const StatJsonStyle& style, Sink& out);

}  // namespace peregrine
