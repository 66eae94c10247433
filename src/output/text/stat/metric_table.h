// stat --metric-only: one line per place, one column per metric.
//
// MetricColumns is shared by all three formats of the table: it determines the columns and their values.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_table.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// As in linux-perf, rates and utilisations have no column.
class MetricColumns {
 public:
  MetricColumns(const StatTable& table, std::span<const StatRow> rows);

  const std::vector<std::string>& titles() const { return titles_; }
  struct Line {
    const StatRow* row = nullptr;            // any row of the place
    std::vector<const StatMetric*> metrics;  // by column; null if the place has none
  };
  const std::vector<Line>& lines() const { return lines_; }

 private:
  struct Key {
    std::size_t event;
    std::string unit;
    bool operator==(const Key&) const = default;
  };
  std::vector<Key> keys_;
  std::vector<std::string> titles_;
  std::vector<Line> lines_;
};

struct MetricTableStyle {
  std::optional<u64> interval_ns;  // -I
  bool show_titles = true;         // with -I only occasionally
  bool color = false;              // show values beyond their metric's threshold in red
};
void print_metric_table(const StatTable& table, std::span<const StatRow> rows, const MetricTableStyle& style,
                        Sink& out);

}  // namespace peregrine
