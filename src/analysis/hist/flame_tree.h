// FlameTree: all chains of one event as one tree of named boxes, comms at the bottom: what a flame graph shows.
//
// Frames of one name are one box, whatever dso or process they came from at that place; unresolved frames are named by
// their dso, and a run of them is one box. Branches below the threshold are left out, and counted. Children are in
// alphabetical order.
#pragma once
#include <string>
#include <vector>

#include "analysis/hist/face_table.h"
#include "analysis/hist/hists.h"

namespace peregrine {

enum class FlameKind : u8 { All, Comm, Application, Library, Kernel, Module, Jit, Unresolved };

struct FlameBox {
  std::string name;
  FlameKind kind = FlameKind::All;
  u64 period = 0;  // own and all above
  u64 samples = 0;
  u64 offset = 0;  // period of what stands to the left of it, from the left edge of the graph
  u32 depth = 0;   // 0: all
  u32 parent = 0;
};

struct FlameTree {
  std::vector<FlameBox> boxes;  // parents before children; boxes[0] is everything
  u32 depth = 0;                // levels
  u64 pruned = 0;               // boxes' branches left out
};

struct FlameRequest {
  u32 event = 0;
  double least_share = 0.0001;  // of the whole: narrower branches are left out
  std::size_t comm_column = 1;  // where in a group's values the comm is
};

FlameTree make_flame_tree(const Hists& hists, const FaceTable& faces, Naming& naming, const FlameRequest& request);

}  // namespace peregrine
