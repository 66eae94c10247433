// The trial `bench internals inject-build-id`, in parts: bench_internal.cc lists it.
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "cli/frame/command.h"
#include "pipeline/rewrite/rewrite.h"

namespace peregrine::cmd {

extern const Command kBenchInject;

// A recording in memory of `maps` maps, each of one of the dsos in turn, with `samples` samples in each.
Result<Fd> recording_with_maps(const std::vector<std::string>& dsos, unsigned maps, unsigned samples);

struct InjectionRound {
  double seconds = 0;
  u64 kilobytes = 0;  // of memory that the child had at most
};
// Copies the recording to nowhere, in a child process. Errors: System; it found no build-id.
Result<InjectionRound> inject_in_child(int recording, WhichDsos which);

}  // namespace peregrine::cmd
