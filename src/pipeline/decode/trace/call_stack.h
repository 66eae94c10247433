// CallStack: each thread's return addresses, tracked through the branches of an instruction trace.
//
// A return pops the call it matches, which need not be the last: longjmp and stack switches leave calls unmatched. A
// return without a match changes nothing. One worker.
#pragma once
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "auxtrace/intel_pt/flow.h"
#include "base/types.h"

namespace peregrine {

class CallStack {
 public:
  // Applies a branch; returns the new call depth.
  u32 follow(u32 tid, const auxtrace::Branch& branch);
  // The trace has a gap: forgets all calls so far.
  void forget(u32 tid);
  // Callchain of a sample at `ip`, innermost first, with context markers: at most `most` addresses.
  void chain(u32 tid, u64 ip, std::size_t most, std::vector<u64>& out) const;

 private:
  static constexpr std::size_t kDeepest = 4096;  // then the outer half is dropped
  struct Call {
    u64 back = 0;
    bool left_trace = false;  // led to untraced code, and comes back without a return
  };
  std::unordered_map<u32, std::vector<Call>> stacks_;
};

}  // namespace peregrine
