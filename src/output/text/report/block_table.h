// The table of report --total-cycles: code blocks between two branches, with their cycles.
//
// `table` must be as block_rows() requires. Titles and widths are linux-perf's. Pure except for the sink.
#pragma once
#include "analysis/hist/row/row_table.h"
#include "output/sink.h"
#include "output/text/report/report_table.h"

namespace peregrine {

// Uses the separator, the limit and the titles flag of `style`.
void print_blocks(Sink& out, const RowTable& table, const TableText& style);

}  // namespace peregrine
