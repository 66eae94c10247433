// GraphOptions: how call graphs are made and shown, and the parser of report's -g.
#pragma once
#include <string_view>

#include "analysis/hist/row/row_table.h"
#include "base/result.h"

namespace peregrine {

enum class GraphMode : u8 { None, Flat, Graph, Fractal, Folded };
enum class GraphKey : u8 { Function, Address, SourceLine };
enum class GraphValue : u8 { Percent, Period, Count };

struct GraphOptions {
  GraphMode mode = GraphMode::Graph;
  double least_percent = 0.5;
  u32 print_limit = 0;  // 0: none
  ChainOrder order = ChainOrder::Callee;
  bool order_given = false;
  GraphKey key = GraphKey::Function;
  GraphValue value = GraphValue::Percent;
  bool branches = false;  // branch stacks are a part of the chains
};

// "graph,0.5,caller,function,percent": words in any order, abbreviated at will; the first number is the threshold in
// percent, the second the print limit. Changes only what it names. Error: Usage.
Result<> parse_graph_options(std::string_view text, GraphOptions& options);

// The thresholds of CallGraphBuilder::build: of the event's whole, or, of a fractal graph, of what each node hands on.
u64 least_total(u64 whole, const GraphOptions& options);
inline u64 least_total(const RowTable& table, const GraphOptions& options) {
  return least_total(table.chain_total(), options);
}
double least_share(const GraphOptions& options);

}  // namespace peregrine
