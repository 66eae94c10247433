// CallCosts: what the functions of a profile cost by line, and what their calls cost: the view of callgrind.
//
// Programs add up a function's inclusive cost from the calls of it, if it has any. So each sample is charged to one
// call of each function in its stack, the outermost; recursive calls are kept, but cost nothing. A function that is
// outermost in some stacks and called in others is given a caller there as well, "(root)". Own costs add up to `total`:
// samples without a stack belong to the function "[unknown]".
#pragma once
#include <vector>

#include "analysis/profile/profile.h"

namespace peregrine {

struct CallCosts {
  using Costs = std::vector<u64>;  // one for each event with samples, then their number
  static constexpr u32 kNoDso = ~u32{0};
  struct Function {
    StringId name, file;  // of CallCosts::texts; file: invalid when unknown
    u32 dso = 0;          // of Profile::dsos; kNoDso
  };
  struct Line {
    u32 line = 0;
    Costs costs;
  };
  struct Call {
    u32 line = 0;  // in the caller
    u32 callee = 0, callee_line = 0;
    u64 samples = 0;  // with this call in their stack, recursive or not
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
