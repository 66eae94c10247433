// FlameTree: the stacks of one series as boxes with places: what a flame graph shows.
//
// Frames of one name on one box are one box, whatever dso they came from. Branches below the threshold are left out,
// and counted. Children are in alphabetical order, or, in a chart, in order of time, where only neighbours are one box.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/hist/picture/stack_profile.h"

namespace peregrine {

struct FlameBox {
  std::string name;
  CodeKind kind = CodeKind::All;
  u64 period = 0;  // own and all above
  u64 samples = 0;
  u64 offset = 0;  // period of what stands to the left of it, from the left edge of the graph
  u32 depth = 0;   // 0: all
  u32 parent = 0;
  u64 before = 0;  // period in the base of a comparison
  std::string dso = {};
};

struct FlameTree {
  std::vector<FlameBox> boxes;  // parents before children; boxes[0] is everything
  u32 depth = 0;                // levels
  u64 pruned = 0;               // boxes' branches left out
  bool compared = false;        // `before` means something
  u64 vanished = 0;             // of the base's period, in what the new series has not at all
};

struct FlameRequest {
  u32 series = 0;
  std::optional<u32> base = {};  // compare with this series
  bool normalised = true;        // its sum counts as much as the other's
  double least_share = 0.0001;   // of the whole: narrower branches are left out
  bool reversed = false;         // from the functions hit to their callers
  bool chart = false;            // left to right in order of time
};

FlameTree make_flame_tree(const StackProfile& profile, const FlameRequest& request);

}  // namespace peregrine
