// Warnings about existing symbol files that were not used: binaries that the sandbox hides or that cannot be
// opened, and lists of JIT-compiled code (perf-PID.map) that belong to another user or are links or FIFOs.
#pragma once
#include <span>
#include <string>

#include "machine/dso/dso.h"
#include "session/session_listener.h"

namespace peregrine {

// The sandbox as the user sees it.
struct ReaderConfinement {
  bool confined = false;     // whether this process is inside
  std::string unconfined{};  // the command line without the sandbox, for hints: "perf --no-sandbox report ..."
};

// Call after the symbols were loaded. One warning for all hidden binaries, one for all that cannot be opened for
// another reason, and one for each of the first few lists. A file in several recordings is named once. Returns whether
// any binary is hidden.
bool warn_about_denied_files(SessionListener& listener, std::span<const DsoTable* const> tables,
                             const ReaderConfinement& confinement);

// Whether only the sandbox prevents a file from being read.
bool is_hidden_by_sandbox(const ReaderConfinement& confinement, const std::string& path);

}  // namespace peregrine
