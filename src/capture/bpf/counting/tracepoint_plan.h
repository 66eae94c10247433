// plan_tracepoints: which tracepoints of a list BPF programs can count, under which name and in which counter.
//
// Leaves to perf_event: tracepoints that TracepointCounter::may_take refuses, probes created at run time (they have no
// real tracepoint), names used by two subsystems, and system calls with unknown numbers.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/types.h"
#include "event/spec.h"
#include "sys/root.h"

namespace peregrine {

struct PlannedHit {
  std::size_t event = 0;
  u32 number = 0;  // counter index
  std::string tracepoint;
  bool by_amount = false;  // it counts a reported amount (nanoseconds), not hits
};

struct PlannedSyscall {
  std::size_t event = 0;
  u32 number = 0;
  u32 call = 0;  // system call number on this machine
  bool enters = false;
};

struct TracepointPlan {
  std::vector<PlannedHit> hits;
  std::vector<PlannedSyscall> syscalls;
  u32 counters = 0;
};

// Reads tracefs to detect aliased names. Empty if it cannot be read.
TracepointPlan plan_tracepoints(const EventList& events, const Root& root = Root());

}  // namespace peregrine
