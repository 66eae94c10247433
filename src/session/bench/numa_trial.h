// The benchmark of memory on several NUMA nodes: one run, or a suite of them. The texts are linux-perf's; the suite is
// ours.
#pragma once
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "trial/numa_memory.h"

namespace peregrine {

struct NumaTrialRequest {
  bool simple = false;
  bool all = false;               // the suite instead of one run
  bool show_convergence = false;  // how many nodes too many the processes use, every second
  bool show_details = false;      // a line per task
  bool quiet = false;             // results only
  NumaPlan plan{.global = u64{1} << 20};
};

// Errors: as settle(NumaPlan&) and run_numa_memory().
Result<> run_numa(const NumaTrialRequest& request, Sink& out);

}  // namespace peregrine
