// The recordings in a session's folder:
//
//   perf.data.TIME   finished, or left by a record that was killed (keep_remnant)
//   perf.data.old    a remnant that record has put aside
//   perf.data        being written while the session runs; else a remnant
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/daemon/session.h"

namespace peregrine {

struct SessionRecording {
  std::string path;
  u64 bytes = 0;
};

// All regular files of the above; perf.data is the last, and the one with the latest time is the last of its kind.
std::vector<SessionRecording> recordings_in(const std::string& folder);

// Renames a perf.data that is not empty to perf.data.TIME, and returns its new path; nothing if there is no such file.
// Call while no record runs there.
Result<std::optional<std::string>> keep_remnant(const std::string& folder);
// DaemonSetup::keep_remnant, for sessions with timestamped files (--switch-output).
std::string keep_remnant_of(const SessionPlan& plan, const std::string& folder);

}  // namespace peregrine
