// Uprobe benchmarks: the cost of a probe at a function of the C library that runs a small BPF program. The texts are
// linux-perf's.
#pragma once
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/uprobe_trial.h"
#include "output/sink.h"

namespace peregrine {

struct UprobeTrialRequest {
  bool simple = false;  // print only the number of microseconds
  u64 loops = 1000;     // calls of usleep(3)
};

// Makes the calls without a probe. Errors: Usage, no calls.
Result<> run_uprobe_baseline(const UprobeTrialRequest& request, Sink& out);
// Makes the calls first without and then with the probe, and compares the results. Errors: Usage, no calls; as
// UprobeTrial::attach().
Result<> run_uprobe(UprobeWork work, const UprobeTrialRequest& request, Sink& out);

}  // namespace peregrine
