// Existing files with symbols that were not used: lists of run-time compiled code (perf-PID.map) that somebody else
// owns, or that are links or FIFOs, binaries in places that the sandbox hides, and files that cannot be opened for
// another reason.
#pragma once
#include <span>

#include "cli/frame/command.h"
#include "machine/dso/dso.h"

namespace peregrine::cmd {

// After the symbols were requested. One warning for each list, at most a few, one for all hidden binaries, and one for
// all others that cannot be opened. Returns whether binaries are hidden. Each file is named once, also where several
// recordings have it.
bool warn_about_denied_files(Invocation& call, std::span<const DsoTable* const> tables);
bool warn_about_denied_files(Invocation& call, const DsoTable& dsos);

// Whether only the sandbox keeps a file from being read.
bool is_hidden_by_sandbox(const Invocation& call, const std::string& path);

}  // namespace peregrine::cmd
