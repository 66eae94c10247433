// stat -x: one line per row, fields in linux-perf's order: [time,][place,[cpus,]]count,unit,event,[cgroup,][noise,]run
// ns,percent running,metric,metric's unit.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "analysis/stat/stat_table.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct StatCsvStyle {
  std::string separator = ",";
  std::optional<u64> interval_ns;  // -I
  bool noise = false;              // -r
  std::string first_field;         // "         summary" for the sums after -I --summary
};

// Start of a row: the time of -I and the place, each followed by the separator.
std::string stat_csv_head(const StatTable& table, const StatRow& row, const StatCsvStyle& style);
void print_stat_csv(const StatTable& table, std::span<const StatRow> rows, const StatCsvStyle& style, Sink& out);

}  // namespace peregrine
