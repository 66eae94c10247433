// Histogram tables as text, as in report --stdio: column titles, dotted rules and rows, each with its call graph.
//
// Columns are as wide as their widest row, or as specified by `widths`; with a separator, nothing is truncated and
// titles have no rule. Texts of the recording are made printable. Numbers come unchanged from the RowTable.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/graph_options.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct TableText {
  std::vector<unsigned> widths;  // of the first columns; 0 or absent: automatic
  std::string separator;         // empty: aligned columns; inside texts it is replaced by '.'
  double least_percent = 0;      // hide rows below it
  u64 least_samples = 0;         // hide rows with at most that many samples; 0: none
  std::size_t most_rows = 0;     // 0: all; widths are computed from these rows
  bool titles = true;
  std::string symbol_filter;    // hide rows with symbols that do not contain it
  std::vector<SortKey> hidden;  // key columns reduced to a single value by a filter
  bool graphs = false;
  GraphOptions graph;
  bool symbol_leads = false;  // the first key is the symbol, so graphs do not repeat it
  bool branch_sums = false;   // show branch information in graph frames
  bool colors = false;        // colour percentages; ignored with a separator
};

void print_table(Sink& out, const RowTable& table, const TableText& style);

// 838 → "838 ", 19963 → "19K", 2486239 → "2M".
std::string short_count(u64 count);

}  // namespace peregrine
