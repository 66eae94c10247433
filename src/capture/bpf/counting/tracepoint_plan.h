// plan_tracepoints: which tracepoints of a list a BPF program can count, under which name and in which counter.
//
// Left out, for perf_event: what TracepointCounter::may_take refuses, probes made at run time (they have no tracepoint
// of their own), names that two systems share, system calls whose number we do not know.
#pragma once
#include <string>
#include <vector>

#include "event/spec.h"

namespace peregrine {

struct PlannedHit {
  std::size_t event = 0;
  u32 number = 0;  // of its counter
  std::string tracepoint;
  bool by_amount = false;  // it counts what it reports: nanoseconds
};

struct PlannedSyscall {
  std::size_t event = 0;
  u32 number = 0;
  u32 call = 0;  // of the system call, on this machine
  bool enters = false;
};

struct TracepointPlan {
  std::vector<PlannedHit> hits;
  std::vector<PlannedSyscall> syscalls;
  u32 counters = 0;
};

// Reads tracefs, of this system, for names that are not what they seem.
TracepointPlan plan_tracepoints(const EventList& events);

}  // namespace peregrine
