// Files that programs write about themselves while they run: perf-PID.map, jit-PID.dump.
//
// Their names are predictable and mostly lie where everybody may write, so they are opened without following a link or
// blocking, and must be regular files of a trusted owner. What is in them is untrusted all the same.
#pragma once
#include <string>

#include "base/judged_file.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {

// `owners`: the reader, and the user whom the process runs as. Nothing: anybody (-f). Malformed when it is not a
// regular file, Denied when it belongs neither to one of `owners` nor to root. Root is no exception: anybody can make a
// file with the name of another user's process.
Result<Fd> open_run_time_file(const std::string& path, const FileOwners& owners);
// The same, below a folder that is open.
Result<Fd> open_run_time_file(int folder, const std::string& name, const std::string& path, const FileOwners& owners);

// Why open_run_time_file() gave none: Untrusted only when the file was seen and its owner is wrong. A process that may
// not be looked into (another container, a kernel thread) is Denied: nothing is known of its files.
MissReason miss_of_run_time_file(const Error& error);

}  // namespace peregrine
