// The tables of `kwork`: a row per piece of kernel work, or a line per run of it.
#pragma once
#include "analysis/work/kernel_work.h"
#include "output/sink.h"
#include "output/text/format/text_table.h"

namespace peregrine {

struct WorkTable {
  KernelWork::Sum sum = KernelWork::Sum::Runtimes;
  bool totals = false;  // printed below the table
};
// Rows in the order of the summary.
void print_work_rows(const WorkSummary& work, const WorkTable& table, Sink& out);

// The table of single runs, row by row.
class WorkRunText {
 public:
  explicit WorkRunText(Sink& out);
  void print_titles();
  void print(const WorkRow& row, const WorkRun& run);

 private:
  Sink& out_;
  TextTable table_;
};

}  // namespace peregrine
