// CallButterfly: each function between its callers and callees, in the manner of gprof.
//
// A stack counts once for each function in it, and once for each pair of a caller and its callee, however often they
// recur. Frames without symbols are one function per binary.
#pragma once
#include <vector>

#include "analysis/profile/profile.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {

struct CallButterfly {
  struct Edge {
    u32 function = 0;
    u64 weight = 0;
  };
  struct Function {
    StringId name;
    u32 dso = 0;  // index in Profile::dsos
    u64 total = 0, self = 0;
    std::vector<Edge> callers, callees;  // largest first
    u64 outermost = 0;                   // in stacks without a caller
  };
  StringPool texts;
  std::vector<Function> functions;  // largest total first; edges refer to it
  u64 weight = 0;                   // of all stacks of the event
};

// `by_count`: weights are samples, not periods.
CallButterfly call_butterfly(const Profile& profile, u32 event, bool by_count);

}  // namespace peregrine
