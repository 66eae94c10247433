// Comparison: joins the rows of several recordings by the texts of their sort keys.
//
//   RowTable of the baseline ─┐
//   RowTable of file 1 ───────┼─▶ joined by the texts of the keys ─▶ a change per file ─▶ order
//   RowTable of file 2 ───────┘
//
// The recordings may be of different builds: functions are joined by name, not address, and addresses without a symbol
// that the other keys do not distinguish form one row, labelled with the lowest address. The first side is the
// baseline. All tables must have the same keys and outlive the comparison. diff's formats and pages use it too.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diff/change.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

struct ComparisonRequest {
  ChangeRule rule;
  std::size_t order = 1;       // rows are sorted by the change of this side; 0: by the baseline's share
  bool baseline_only = false;  // only rows present in the baseline and in another file
  // Binaries of different builds: their unnamed functions cannot be matched.
  std::vector<std::string> rebuilt = {};
};

// One row in a file other than the baseline.
struct RowChange {
  bool present = false;              // the file has the row; if not, ignore the rest
  double value = 0;                  // by the rule
  std::optional<Interval> interval;  // bounds of the 95 % confidence interval
  bool real = false;                 // statistically significant: see Comparison
};

struct ComparedRow {
  std::vector<RowWeight> weights;  // by side
  std::vector<bool> present;       // by side
  std::vector<RowChange> changes;  // by side; unused for the baseline
  u32 shown_side = 0;              // the texts come from this side's row
  u32 shown_row = 0;               // index in that side's table
  bool in_baseline() const { return present[0]; }
};

// Real changes are those that survive the Benjamini-Hochberg procedure at 5 % over all rows of a file: of the rows
// marked real, one in twenty may be chance, regardless of the number of rows.
class Comparison {
 public:
  // A null side has no such event and no rows.
  Comparison(std::vector<const RowTable*> sides, const ComparisonRequest& request);

  const std::vector<ComparedRow>& rows() const { return rows_; }
  std::size_t sides() const { return sides_.size(); }
  const RowTable* side(std::size_t at) const { return sides_[at]; }
  const ComparisonRequest& request() const { return request_; }
  // The total that a side's shares refer to; with baseline_only, the total of the baseline's remaining rows.
  WholeWeight whole(std::size_t side) const { return wholes_[side]; }
  // A side's total count.
  WholeWeight total(std::size_t side) const { return totals_[side]; }
  const RowTable& table_of(const ComparedRow& row) const { return *sides_[row.shown_side]; }
  const Row& row_of(const ComparedRow& row) const { return table_of(row).rows()[row.shown_row]; }

 private:
  void join();
  void compute();
  void mark_real(std::size_t side);
  void sort();

  std::vector<const RowTable*> sides_;
  ComparisonRequest request_;
  std::vector<WholeWeight> wholes_, totals_;
  std::vector<ComparedRow> rows_;
};

}  // namespace peregrine
