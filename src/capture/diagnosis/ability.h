// Ability: finds out what this process is really allowed to do by trying: each trial is one perf_event_open(2) or
// bpf(2) call; the descriptor is closed at once. diagnosis.h predicts the results by the kernel's rules.
#pragma once
#include <array>
#include <cstddef>
#include <optional>

#include "base/types.h"

namespace peregrine {

enum class Trial : unsigned {
  OwnUser,        // this process, user space only
  OwnKernel,      // this process, including the kernel
  WholeMachine,   // one CPU, all processes
  Tracepoint,     // a tracepoint's raw fields
  Cycles,         // a hardware counter
  PreciseCycles,  // the same, without skid
  BranchStack,    // the most recent branches
  Breakpoint,     // a hardware breakpoint
  Bpf,            // loading a BPF program
};
inline constexpr std::size_t kTrials = 9;

// Indexed by Trial: 0 if it worked, else its errno; nothing if it was not tried.
struct Trials {
  std::array<std::optional<int>, kTrials> error;
  std::optional<int>& operator[](Trial trial) { return error[static_cast<unsigned>(trial)]; }
  std::optional<int> operator[](Trial trial) const { return error[static_cast<unsigned>(trial)]; }
};

// Runs all trials on the live system. `tracepoint`: the id of one, if tracefs is readable.
Trials try_everything(std::optional<u64> tracepoint);

}  // namespace peregrine
