// The benchmark of inject: the cost of copying a recording and adding the build-ids of its dsos. Each round runs in a
// child process, so that its peak memory can be measured. The texts are linux-perf's.
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "pipeline/rewrite/build_id_injection.h"

namespace peregrine {

struct InjectionTrialRequest {
  bool simple = false;
  unsigned rounds = 100, maps = 100, samples = 100;  // samples per map
  int verbose = 0;                                   // > 0: show the number of dsos and the time of each round
};

// Measures once for dsos with samples and once for all dsos. Errors: Usage, no rounds, no maps or too many records;
// NotFound, no file has a build-id; also those below.
Result<> run_injection(const InjectionTrialRequest& request, Sink& out);

// A recording in memory with `maps` maps, assigned to the dsos in turn, and `samples` samples in each map. Errors:
// System.
Result<Fd> recording_with_maps(const std::vector<std::string>& dsos, unsigned maps, unsigned samples);

struct InjectionRound {
  double seconds = 0;
  u64 kilobytes = 0;  // the child's peak memory
};
// Copies the recording to /dev/null in a child process. Errors: System, also if no build-id was found.
Result<InjectionRound> inject_in_child(int recording, WhichDsos which);

}  // namespace peregrine
