// CallCosts: the costs of functions by line, and of their calls, for callgrind viewers.
//
// Viewers compute a function's inclusive cost from the calls to it, if any. So each sample is charged to one call per
// function in its stack, the outermost; recursive calls are kept at cost zero. A function that is outermost in some
// stacks and called in others gets the caller "(root)" there. Own costs add up to `total`: samples without a stack
// belong to the function "[unknown]".
#pragma once
#include <vector>

#include "analysis/profile/profile.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {

struct CallCosts {
  using Costs = std::vector<u64>;  // one per event with samples, then the number of samples
  static constexpr u32 kNoDso = ~u32{0};
  struct Function {
    StringId name, file;  // indices into CallCosts::texts; file: invalid if unknown
    u32 dso = 0;          // index into Profile::dsos, or kNoDso
  };
  struct Line {
    u32 line = 0;
    Costs costs;
  };
  struct Call {
    u32 line = 0;  // in the caller
    u32 callee = 0, callee_line = 0;
    u64 samples = 0;  // with this call in the stack, whether recursive or not
    Costs costs;
  };
  struct Body {
    std::vector<Line> lines;  // ascending
    std::vector<Call> calls;  // sorted by line, then callee
  };
  StringPool texts;
  std::vector<Function> functions;
  std::vector<Body> bodies;  // by function
  std::vector<u32> events;   // indices in the profile of events with samples
  Costs total;
};

CallCosts call_costs(const Profile& profile);

}  // namespace peregrine
