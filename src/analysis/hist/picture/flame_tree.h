// FlameTree: the stacks of one series as positioned boxes, for flame graphs.
//
// Frames with one name on one box are merged, whatever their dso. Branches below the threshold are dropped and counted.
// Children are sorted alphabetically, or in a chart by time, where only neighbours are merged.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/hist/picture/stack_profile.h"
#include "base/types.h"

namespace peregrine {

struct FlameBox {
  std::string name;
  CodeKind kind = CodeKind::All;
  u64 period = 0;  // including all boxes above
  u64 samples = 0;
  u64 offset = 0;  // period to the left of it, from the graph's left edge
  u32 depth = 0;   // 0: the root
  u32 parent = 0;
  u64 before = 0;  // period in the base series
  std::string dso = {};
};

struct FlameTree {
  std::vector<FlameBox> boxes;  // parents before children; boxes[0] is everything
  u32 depth = 0;                // levels
  u64 pruned = 0;               // number of dropped branches
  bool compared = false;        // `before` is valid
  u64 vanished = 0;             // the base's period in stacks that the new series lacks
};

struct FlameRequest {
  u32 series = 0;
  std::optional<u32> base = {};  // compare with this series
  bool normalised = true;        // scale the base to the same sum
  double least_share = 0.0001;   // fraction of the whole: drop narrower branches
  bool reversed = false;         // from the functions hit to their callers
  bool chart = false;            // left to right by time
};

FlameTree make_flame_tree(const StackProfile& profile, const FlameRequest& request);

}  // namespace peregrine
