// Ability: what this process may really do, found out by doing it once: each trial is one perf_event_open(2) or bpf(2)
// whose descriptor is closed at once. What the rules say should happen is diagnosis.h.
#pragma once
#include <array>
#include <optional>

#include "base/types.h"

namespace peregrine {

enum class Trial : unsigned {
  OwnUser,        // this process, user space
  OwnKernel,      // this process, the kernel as well
  WholeMachine,   // one CPU, every process
  Tracepoint,     // a tracepoint's raw fields
  Cycles,         // a counter of the processor
  PreciseCycles,  // the same without skid
  BranchStack,    // the last branches taken
  Breakpoint,     // a watched address
  Bpf,            // loading a BPF program
};
inline constexpr std::size_t kTrials = 9;

// By Trial: 0 when the kernel did it, else its errno; nothing when it was not tried.
struct Trials {
  std::array<std::optional<int>, kTrials> error;
  std::optional<int>& operator[](Trial trial) { return error[static_cast<unsigned>(trial)]; }
  std::optional<int> operator[](Trial trial) const { return error[static_cast<unsigned>(trial)]; }
};

// On the live system. `tracepoint`: the id of one, when tracefs can be read.
Trials try_everything(std::optional<u64> tracepoint);

}  // namespace peregrine
