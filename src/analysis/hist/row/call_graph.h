// CallGraph: the pruned tree of callers or callees below one row. CallGraphBuilder builds it from the shared ChainTree.
//
// Frames without branching form one node. Only branches above the threshold are expanded, level by level, so the cost
// depends on what is shown, not on what was recorded.
#pragma once
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/hist/chain/branch_sums.h"
#include "analysis/hist/chain/chain_children.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

struct CallNode {
  u32 first_frame = 0, frame_count = 0;  // range in CallGraph::frames
  u32 first_child = 0, child_count = 0;  // range in CallGraph::nodes, largest first
  u64 own = 0;                           // period of chains that end here
  u64 total = 0;                         // self and all descendants, shown or not
  u64 own_samples = 0, total_samples = 0;
  u64 below() const { return total - own; }
};

struct CallGraph {
  std::vector<HistFrameId> frames;
  std::vector<BranchSums> branches;  // by frame, if chains include branches; else empty
  std::vector<CallNode> nodes;       // nodes[0] is the row itself, without frames; empty if there is no graph
  u64 least = 0;                     // the thresholds used for pruning
  double least_share = 0;
  bool empty() const { return nodes.size() < 2; }
};

class CallGraphBuilder {
 public:
  // `table` and its Hists must outlive the builder; use only row tables of that Hists.
  explicit CallGraphBuilder(const RowTable& table);

  // The graphs of these rows. Keeps a branch if its total is at least `least`, and at least the fraction `least_share`
  // of what continues from its parent node.
  std::vector<CallGraph> build(std::span<const u32> rows, u64 least, double least_share = 0);

 private:
  struct Cursor {
    u32 node = 0;    // ChainId
    u32 kind = 0;    // Caller order: 0 whole chains of own samples, 1 the part below a function
    u64 period = 0;  // passing through here
    u64 samples = 0;
    u32 entry = 0;  // Callee order: the row that the chain belongs to
  };
  struct Step {
    HistFrameId frame;
    Cursor cursor;
    u32 node = 0;  // ChainId of the frame
  };
  struct Sum {
    u64 period = 0;
    u64 samples = 0;
  };

  CallGraph build_row(u32 row, u64 least, double least_share);
  std::vector<Step> start_upward(u32 row);
  std::vector<Step> start_downward(u32 row);
  // Sums by chain node.
  struct NodeSums {
    std::vector<Sum> of;
    std::vector<BranchSums> branches;  // empty unless chains include branches
    std::vector<u32> touched;
    void clear();
  };
  void add_path(NodeSums& sums, u32 entry) const;
  BranchSums branches_of(const Step& step) const;
  void open_group(u32 group);
  void sum_group(u32 group);
  void list_callers(u32 group);
  std::span<const std::pair<u32, u32>> starts_of(u32 face) const;
  Sum sum_below(const Cursor& cursor) const;
  Sum next_steps(const Cursor& cursor, std::vector<Step>& steps) const;
  // Builds the children of a node from the steps leading to them.
  void expand(CallGraph& graph, u32 node, std::vector<Step> steps) const;
  std::vector<Step> fill_node(CallGraph& graph, CallNode& node, std::vector<Step> steps) const;

  const RowTable& table_;
  const ChainTree& chains_;
  bool downward_;
  ChainChildren children_;
  std::vector<bool> outermost_;  // no ancestor has the same face
  NodeSums group_sums_, own_sums_;
  bool has_branches_;
  std::vector<u32> depths_;  // by chain node, with branches in callee order
  // For the current group, sorted by face: where caller graphs start. Caller order: nodes with no ancestor of the same
  // face. Callee order: entries with a different face as their leaf; their chains start at the innermost frame of the
  // face.
  std::vector<std::pair<u32, u32>> starts_;
  std::optional<RowTable::GroupedEntries> entries_;  // filled when first needed
  std::vector<u32> met_;                             // by face: the last entry that contained it
  u32 group_ = 0xffffffffu;
};

}  // namespace peregrine
