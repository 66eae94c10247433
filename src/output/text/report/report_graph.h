// Call graphs as text: the ASCII tree, the flat list and the folded lines below a row of report. The layout is
// linux-perf's. Pure except for the sink.
//
//   ---main              a first branch that has the whole weight of the row needs no percentage: the stem
//      |
//      |--60.00%--parse  graph: % of all samples; fractal: % of the parent
//      |          read   frames without branches in between share a node
//      |
//       --40.00%--print
#pragma once
#include <string>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/row/call_graph.h"
#include "analysis/hist/row/graph_options.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct GraphText {
  GraphOptions options;
  bool skip_first_frame = false;  // sorted by symbol first, so the first frame would repeat it
  bool branch_sums = false;       // show branch information after each frame
  bool colors = false;            // decimals of percentages
};

// `weight`: the row's, `total`: the event's. Ends with an empty line if anything was printed (except folded).
void print_call_graph(Sink& out, const CallGraph& graph, const FaceTable& faces, const GraphText& style, u64 weight,
                      u64 total);

// Name of a frame: its symbol, or its address.
std::string frame_text(const FaceTable& faces, GraphKey key, HistFrameId frame);

}  // namespace peregrine
