// Comparison: the rows of several recordings side by side, joined by what the sort keys say of them.
//
//   RowTable of the baseline ─┐
//   RowTable of file 1 ───────┼─▶ joined by the texts of the keys ─▶ a change per file ─▶ order
//   RowTable of file 2 ───────┘
//
// The recordings may be of different builds: functions are joined by name, not by address, and all addresses without a
// name that the other keys do not tell apart are one row, which the lowest of them stands for. The first side is the
// baseline. All tables are of the same keys; they outlive the comparison. formats and pictures of diff read it, too.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/diff/change.h"
#include "analysis/hist/row/row_table.h"

namespace peregrine {

struct ComparisonRequest {
  ChangeRule rule;
  std::size_t order = 1;       // whose change orders the rows; 0: the baseline's share does
  bool baseline_only = false;  // rows that the baseline has, and another one too
  // Binaries whose builds differ: functions of theirs that have no name but their place cannot be told apart.
  std::vector<std::string> rebuilt = {};
};

// One row in one other file than the baseline.
struct RowChange {
  bool present = false;              // the file has the row; else what follows says nothing
  double value = 0;                  // by the rule
  std::optional<Interval> interval;  // of 95 % confidence
  bool real = false;                 // more than chance gives: see Comparison
};

struct ComparedRow {
  std::vector<RowWeight> weights;  // by side
  std::vector<bool> present;       // by side
  std::vector<RowChange> changes;  // by side; of the baseline nothing
  u32 shown_side = 0;              // whose row gives the texts
  u32 shown_row = 0;               // its place in that side's table
  bool in_baseline() const { return present[0]; }
};

// Real are changes of shares that survive the Benjamini-Hochberg procedure at 5 % over all rows of a file: of those
// that are marked, one in twenty may be chance, however many rows there are.
class Comparison {
 public:
  // A null side has no event of this kind, and no rows.
  Comparison(std::vector<const RowTable*> sides, const ComparisonRequest& request);

  const std::vector<ComparedRow>& rows() const { return rows_; }
  std::size_t sides() const { return sides_.size(); }
  const RowTable* side(std::size_t at) const { return sides_[at]; }
  const ComparisonRequest& request() const { return request_; }
  // What shares of a side are of; with baseline_only, the baseline's are of the rows that are left.
  WholeWeight whole(std::size_t side) const { return wholes_[side]; }
  // All that a side counted.
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
