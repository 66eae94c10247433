// Opens files that programs write about themselves while they run: perf-PID.map, jit-PID.dump.
//
// Their names are predictable and usually in world-writable folders, so opening does not follow links, does not block,
// and requires a regular file with a trusted owner. The contents are untrusted regardless.
#pragma once
#include <string>

#include "base/fd.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {

// `owners`: the reader and the user of the process; if unset, any owner is accepted (-f). Malformed if it is not a
// regular file, Denied if neither `owners` nor root owns it. This applies even to root, because anybody can create a
// file named after another user's process.
Result<Fd> open_run_time_file(const std::string& path, const FileOwners& owners);
// The same, in an open folder.
Result<Fd> open_run_time_file(int folder, const std::string& name, const std::string& path, const FileOwners& owners);

// Why open_run_time_file() failed: Untrusted only if the file was seen with a wrong owner. If the process cannot be
// inspected (another container, a kernel thread), it is Denied, since nothing is known about its files.
MissReason miss_of_run_time_file(const Error& error);

}  // namespace peregrine
