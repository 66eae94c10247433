// Files with symbols that were there and not used: lists of run-time compiled code (perf-PID.map) that somebody else
// owns, and binaries in places that the sandbox hides.
#pragma once
#include "cmd/command.h"
#include "machine/dso.h"

namespace peregrine::cmd {

// After the symbols were asked for. One warning for each list, at most a few, and one for all hidden binaries. Returns
// whether binaries are hidden.
bool warn_about_denied_files(Invocation& call, const DsoTable& dsos);

// Whether only the sandbox keeps a file from being read.
bool is_hidden_by_sandbox(const Invocation& call, const std::string& path);

}  // namespace peregrine::cmd
