// Warnings about existing files with symbols that were not used: binaries that the sandbox hides or that cannot be
// opened, and lists of run-time compiled code (perf-PID.map) that another user owns or that are links or FIFOs.
#pragma once
#include <span>
#include <string>

#include "machine/dso/dso.h"
#include "session/session_listener.h"

namespace peregrine {

// The sandbox as its user sees it.
struct ReaderConfinement {
  bool confined = false;     // this process is inside
  std::string unconfined{};  // the command line that reads without it, for hints: "perf --no-sandbox report ..."
};

// After the symbols were loaded. One warning for all hidden binaries, one for all that cannot be opened for another
// reason, and one for each of the first few lists. A file that several recordings have is named once. Returns whether
// any binary is hidden.
bool warn_about_denied_files(SessionListener& listener, std::span<const DsoTable* const> tables,
                             const ReaderConfinement& confinement);

// Whether only the sandbox keeps a file from being read.
bool is_hidden_by_sandbox(const ReaderConfinement& confinement, const std::string& path);

}  // namespace peregrine
