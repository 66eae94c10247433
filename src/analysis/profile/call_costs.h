// CallCosts: what the functions of a profile cost by line, and what their calls cost: the view of callgrind.
//
// A call's cost is that of all samples with it somewhere in their stack, each counted once, whatever the recursion.
#pragma once
#include <vector>

#include "analysis/profile/profile.h"

namespace peregrine {

struct CallCosts {
  using Costs = std::vector<u64>;  // one for each event with samples, then their number
  struct Function {
    StringId name, file;  // of CallCosts::texts; file: invalid when unknown
    u32 dso = 0;
  };
  struct Line {
    u32 line = 0;
    Costs costs;
  };
  struct Call {
    u32 line = 0;  // in the caller
    u32 callee = 0, callee_line = 0;
    Costs costs;
  };
  struct Body {
    std::vector<Line> lines;  // ascending
    std::vector<Call> calls;  // by line, then callee
  };
  StringPool texts;
  std::vector<Function> functions;
  std::vector<Body> bodies;  // by function
  std::vector<u32> events;   // of the profile: those that have samples
  Costs total;
};

CallCosts call_costs(const Profile& profile);

}  // namespace peregrine
