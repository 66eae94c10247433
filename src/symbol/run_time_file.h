// Files that programs write about themselves while they run: perf-PID.map, jit-PID.dump.
//
// Their names are predictable and mostly lie where everybody may write, so they are opened without following a link or
// blocking, and must be regular files of a trusted owner. What is in them is untrusted all the same.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "base/fd.h"

namespace peregrine {

// Denied when it is no regular file, or belongs neither to `reader` nor to root; without `reader` any owner will do
// (-f). Root takes everybody's, as linux-perf does: to profile other users' programs is what it is asked for.
Result<Fd> open_run_time_file(const std::string& path, std::optional<uid_t> reader);

}  // namespace peregrine
