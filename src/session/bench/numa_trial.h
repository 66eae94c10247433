// NUMA memory benchmark: a single run, or a suite of runs. The texts are linux-perf's; the suite is
// ours.
#pragma once
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "trial/numa_memory.h"

namespace peregrine {

struct NumaTrialRequest {
  bool simple = false;
  bool all = false;               // run the suite
  bool show_convergence = false;  // print every second how many more nodes the processes use than they need
  bool show_details = false;      // print a line per task
  bool quiet = false;             // print only results
  NumaPlan plan{.global = u64{1} << 20};
};

// Errors: as settle(NumaPlan&) and run_numa_memory().
Result<> run_numa(const NumaTrialRequest& request, Sink& out);

}  // namespace peregrine
