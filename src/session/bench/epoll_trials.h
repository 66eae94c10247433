// Epoll benchmarks: waiting for many files, and changing the set of watched files. The texts are linux-perf's.
#pragma once
#include "base/result.h"
#include "output/sink.h"
#include "trial/epoll.h"

namespace peregrine {

struct EpollTrialRequest {
  bool simple = false, nonblocking = false, unbound = false;
  int verbose = 0;  // > 0: show the setup
  EpollPlan plan;   // threads 0: one per CPU, minus one for waiting; `blocking` and `bound` are set from the flags
                    // above
};

// Errors: Usage, no files; System.
Result<> run_epoll_waiting(const EpollTrialRequest& request, Sink& out);
Result<> run_epoll_changing(const EpollTrialRequest& request, Sink& out);

}  // namespace peregrine
