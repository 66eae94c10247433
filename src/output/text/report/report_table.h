// Histogram tables as text: column titles, dotted rules and rows, each with its call graph, as report --stdio shows
// them.
//
// Columns are as wide as their widest row, or as `widths` says; with a separator nothing is cut and titles have no
// rule. Texts of the recording are made printable first. Rows come from a RowTable; all numbers are its own.
#pragma once
#include <string>
#include <vector>

#include "analysis/hist/row/call_graph.h"
#include "output/sink.h"
#include "output/text/report/report_graph.h"

namespace peregrine {

struct TableText {
  std::vector<unsigned> widths;  // of the first columns; 0 or absent: as wide as needed
  std::string separator;         // empty: aligned columns; else between columns, and '.' stands for it inside texts
  double least_percent = 0;      // rows below it are not shown
  u64 least_samples = 0;         // nor rows with so few samples or fewer, unless it is 0
  std::size_t most_rows = 0;     // 0: all; columns are as wide as these rows need
  bool titles = true;
  std::string symbol_filter;    // rows whose symbol does not contain it are not shown
  std::vector<SortKey> hidden;  // key columns that have but one value by a filter
  bool graphs = false;
  GraphOptions graph;
  bool symbol_leads = false;  // the first key asked for is the symbol: graphs do not repeat it
  bool branch_sums = false;   // frames of graphs say what branches say of them
};

void print_table(Sink& out, const RowTable& table, const TableText& style);

// 838 → "838 ", 19963 → "19K", 2486239 → "2M": as many digits as people count by.
std::string short_count(u64 count);

}  // namespace peregrine
