// RowValues: the rows of a table as named, typed values: what JSON and CSV write of a report.
//
// The columns are those of the report, in their order, then the period and the number of samples of each row, which
// percentages do not tell. A column that shows two things is two: "tid" and "comm", "symbol" and "level". Of a group,
// numbers are there for each member, named "overhead.EVENT". The table must outlive it.
#pragma once
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_tree.h"

namespace peregrine {

using RowValue = std::variant<std::monostate, u64, i64, double, std::string>;  // nothing: unknown

class RowValues {
 public:
  // `events`: the names of the table's events; none: only what the keys say.
  RowValues(const RowTable& table, const std::vector<std::string>& events);

  const std::vector<std::string>& names() const { return names_; }
  // One value for each name; valid until the next call.
  const std::vector<RowValue>& of(const Row& row);
  // Of a node of the table's tree: its own sums, and nothing for keys of deeper levels.
  const std::vector<RowValue>& of(const RowTree& tree, u32 node);
  // Of the whole that shares are taken of: what the row is sized by, in percent.
  double percent(const Row& row) const { return percent(table_.weight(row)); }
  double percent(u64 weight) const;

 private:
  void name_metric(Metric metric, const std::vector<std::string>& events);
  void add_metric(Metric metric, const std::function<u64(std::size_t member)>& value_of);
  void add_key(const Row& row, SortKey key);

  const RowTable& table_;
  std::vector<Column> columns_;
  std::vector<std::string> names_;
  std::vector<RowValue> values_;
};

// A table of named values on its way to a machine format: a report's, or a comparison's.
struct NamedRows {
  std::string event;
  u64 samples = 0, period = 0;
  std::vector<std::string> names;
  std::size_t size = 0;
  // The values of a row, one for each name, valid until the next call; null: it is not shown.
  std::function<const std::vector<RowValue>*(std::size_t row)> row;
};

}  // namespace peregrine
