// The tree of report --hierarchy as text: a line per node, indented by level, sums left, keys right. The layout is
// linux-perf's. Pure except for the sink.
#pragma once
#include "analysis/hist/row/row_tree.h"
#include "output/sink.h"
#include "output/text/report/report_table.h"

namespace peregrine {

void print_tree(Sink& out, const RowTree& tree, const TableText& style);

}  // namespace peregrine
