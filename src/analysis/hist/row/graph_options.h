// GraphOptions: how call graphs are built and shown; parses report's -g.
#pragma once
#include <string_view>

#include "analysis/hist/row/row_table.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class GraphMode : u8 { None, Flat, Graph, Fractal, Folded };
enum class GraphKey : u8 { Function, Address, SourceLine };
enum class GraphValue : u8 { Percent, Period, Count };

struct GraphOptions {
  GraphMode mode = GraphMode::Graph;
  double least_percent = 0.5;
  u32 print_limit = 0;  // 0: unlimited
  ChainOrder order = ChainOrder::Callee;
  bool order_given = false;
  GraphKey key = GraphKey::Function;
  GraphValue value = GraphValue::Percent;
  bool branches = false;  // chains include branch stacks
};

// "graph,0.5,caller,function,percent": options in any order, abbreviations allowed; the first number is the threshold
// in percent, the second the print limit. Changes only what is given. Error: Usage.
Result<> parse_graph_options(std::string_view text, GraphOptions& options);

// The thresholds for CallGraphBuilder::build: relative to the event's total, or for fractal graphs to the parent node.
u64 least_total(u64 whole, const GraphOptions& options);
inline u64 least_total(const RowTable& table, const GraphOptions& options) {
  return least_total(table.chain_total(), options);
}
double least_share(const GraphOptions& options);

}  // namespace peregrine
