// Breakpoint benchmarks: how much hardware breakpoints slow down threads that start with them, and how long it takes to
// enable and disable one. The texts are linux-perf's.
#pragma once
#include "base/result.h"
#include "output/sink.h"

namespace peregrine {

struct BreakpointTrialRequest {
  bool simple = false;       // print only the number of seconds
  unsigned breakpoints = 1;  // inherited by threads
  unsigned parallel = 1;     // threads that start threads
  unsigned threads = 1;      // threads started per round
  unsigned active = 0;       // threads that run while a breakpoint is toggled
  unsigned passive = 0;      // threads that sleep in the meantime
};

// Starts threads that inherit breakpoints. Errors: Usage, no threads or too many breakpoints; System, no free hardware
// breakpoint.
Result<> run_breakpoint_inheritance(const BreakpointTrialRequest& request, Sink& out);
// Disables and enables a breakpoint set in many threads. Errors: System.
Result<> run_breakpoint_switching(const BreakpointTrialRequest& request, Sink& out);

}  // namespace peregrine
