// RowValues: the rows of a table as named, typed values, for JSON and CSV.
//
// The values are the report's columns in order, then each row's period and number of samples. A column that shows two
// things becomes two: "tid" and "comm", "symbol" and "level". For a group there are numbers per member, named
// "overhead.EVENT". The table must outlive this.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_tree.h"
#include "base/types.h"

namespace peregrine {

using RowValue = std::variant<std::monostate, u64, i64, double, std::string>;  // monostate: unknown

class RowValues {
 public:
  // `events`: names of the table's events; empty: only the keys' values.
  RowValues(const RowTable& table, const std::vector<std::string>& events);

  const std::vector<std::string>& names() const { return names_; }
  // One value for each name; valid until the next call.
  const std::vector<RowValue>& of(const Row& row);
  // For a node of the table's tree: its sums, with empty values for keys of deeper levels.
  const std::vector<RowValue>& of(const RowTree& tree, u32 node);
  // The row's size as a percentage of the total.
  double percent(const Row& row) const { return percent(table_.weight(row)); }
  double percent(u64 weight) const;

 private:
  void name_metric(Metric metric, const std::vector<std::string>& events);
  void add_metric(Metric metric, const std::function<u64(std::size_t member)>& value_of);
  void name_key(SortKey key);
  void add_key(const Row& row, SortKey key);
  void add_frame(const FrameLook& look, SortKey key, char level);
  void add_group(const Row& row, SortKey key);

  const RowTable& table_;
  std::vector<Column> columns_;
  std::vector<std::string> names_;
  std::vector<RowValue> values_;
};

// A table of named values for a machine format: a report or a comparison.
struct NamedRows {
  std::string event;
  u64 samples = 0, period = 0;
  std::vector<std::string> names;
  std::size_t size = 0;
  // The values of a row, valid until the next call; null: the row is hidden.
  std::function<const std::vector<RowValue>*(std::size_t row)> row;
};

}  // namespace peregrine
