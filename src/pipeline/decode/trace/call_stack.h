// CallStack: where each thread would return to, followed through the branches of an instruction trace.
//
// A return takes the call that it answers, which need not be the last: longjmp and switches of stacks leave some
// unanswered. A return that answers none leaves the stack alone. One worker.
#pragma once
#include <unordered_map>
#include <vector>

#include "auxtrace/intel_pt/flow.h"

namespace peregrine {

class CallStack {
 public:
  // How many calls the thread is in then.
  u32 follow(u32 tid, const auxtrace::Branch& branch);
  // The trace has a gap: what was called before is not known.
  void forget(u32 tid);
  // The chain of a sample at `ip`, innermost first and with the markers of callchains: at most `most` addresses.
  void chain(u32 tid, u64 ip, std::size_t most, std::vector<u64>& out) const;

 private:
  static constexpr std::size_t kDeepest = 4096;  // then the outer half is forgotten
  struct Call {
    u64 back = 0;
    bool left_trace = false;  // it led to where nothing is traced, and comes back without a return
  };
  std::unordered_map<u32, std::vector<Call>> stacks_;
};

}  // namespace peregrine
