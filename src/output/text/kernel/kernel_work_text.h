// The tables of `kwork`: a row per piece of kernel work, or a line per run of it.
#pragma once
#include "analysis/work/kernel_work.h"
#include "output/sink.h"

namespace peregrine {

struct WorkTable {
  KernelWork::Sum sum = KernelWork::Sum::Runtimes;
  bool totals = false;  // below the table
};
// Rows in the order of the summary.
void print_work_rows(const WorkSummary& work, const WorkTable& table, Sink& out);

void print_work_titles(Sink& out);
void print_work_run(const WorkRow& row, const WorkRun& run, Sink& out);

}  // namespace peregrine
