// The table of report --total-cycles: blocks of code between two branches, with the cycles they took.
//
// Rows come from a RowTable as block_rows() wants it. The titles and widths are linux-perf's. Pure but for the sink.
#pragma once
#include "analysis/hist/row/row_table.h"
#include "output/sink.h"
#include "output/text/report/report_table.h"

namespace peregrine {

// Of `style`, the separator, the limit and whether there are titles.
void print_blocks(Sink& out, const RowTable& table, const TableText& style);

}  // namespace peregrine
