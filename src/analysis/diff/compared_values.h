// ComparedValues: the rows of a comparison as named, typed values, for diff's JSON and CSV.
//
// First the keys' values, then the baseline, then each other file: its share in percent, the change by the requested
// rule, the confidence interval, whether it is significant, and the counts. With more than two files, names end in the
// file's number: "change.2". The comparison must outlive this.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "analysis/diff/comparison.h"
#include "analysis/hist/row/row_value.h"

namespace peregrine {

class ComparedValues {
 public:
  explicit ComparedValues(const Comparison& comparison);

  const std::vector<std::string>& names() const { return names_; }
  // One value for each name; valid until the next call.
  const std::vector<RowValue>& of(const ComparedRow& row);

 private:
  void add_weight(const ComparedRow& row, std::size_t side);
  void add_change(const RowChange& change);

  const Comparison& comparison_;
  std::vector<std::unique_ptr<RowValues>> keys_;  // by side; null if it has no rows
  std::vector<std::string> names_;
  std::vector<RowValue> values_;
};

}  // namespace peregrine
