// BranchStitcher: extends chains from call-stack branch records beyond the number of LBR registers (--stitch-lbr).
//
//   sample 1   4 registers, newest first   d  c  b  a
//   sample 2, deeper                 f  e  d  c           d and c are in the same registers as before, so b and a are
//   together                         f  e  d  c  b  a     still below them
//
// One state per thread; samples must be in order. A heuristic: a longjmp in between can make it wrong.
#pragma once
#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "abi/sample.h"
#include "base/types.h"

namespace peregrine {

class BranchStitcher {
 public:
  // Number of LBR registers; 0: unknown, nothing is stitched.
  explicit BranchStitcher(u64 registers = 0) : registers_(registers) {}

  // The callers below those of `calls`, newest first. `hw_index`: the register with the newest call. Valid until the
  // next call.
  std::span<const u64> callers_below(u32 tid, std::span<const abi::BranchEntry> calls, u64 hw_index);

 private:
  struct Call {
    u64 from, to;
    friend bool operator==(const Call&, const Call&) = default;
  };
  struct Thread {
    std::vector<Call> calls;
    u64 hw_index = 0;
    std::vector<u64> below;
  };
  bool continues(const Thread& last, const std::vector<Call>& calls, u64 hw_index, std::size_t& shared_from) const;

  u64 registers_;
  std::unordered_map<u32, Thread> threads_;
};

}  // namespace peregrine
