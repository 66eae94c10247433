// stat --metric-only: one line for each place, one column for each metric.
//
// MetricColumns is what all three forms of that table share: which columns there are, and whose value stands in them.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "output/sink.h"

namespace peregrine {

// Rates and utilisations are no metrics of the code and have no column, as in linux-perf.
class MetricColumns {
 public:
  MetricColumns(const StatTable& table, std::span<const StatRow> rows);

  const std::vector<std::string>& titles() const { return titles_; }
  struct Line {
    const StatRow* row = nullptr;            // any of its place
    std::vector<const StatMetric*> metrics;  // by column; null where the place has none
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
  bool show_titles = true;         // with -I only now and then
  bool color = false;              // what is beyond its metric's threshold in red
};
void print_metric_table(const StatTable& table, std::span<const StatRow> rows, const MetricTableStyle& style,
                        Sink& out);

}  // namespace peregrine
