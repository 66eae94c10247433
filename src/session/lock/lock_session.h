// watch_locks(): sums waits for locks with a BPF program in the kernel, while a command runs, while processes
// live, or until a signal arrives; also records waits for user-space locks. For lock contention without a
// recording.
//
//   LockWatcher  ── sums of waits ─▶ lock_rows() ─▶ rows of the kernel's locks
//   FutexWatcher ── every wait in futex(2) ───────▶ rows of the user-space locks
//
// Blocks until the end. One thread.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/scheduling/lock_watcher.h"
#include "capture/target/target.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "session/session_listener.h"

namespace peregrine {

// Whether to watch user-space waits. WherePossible: show them if they can be watched and there are any.
enum class UserLocks : u8 { No, WherePossible, Yes };

struct LockSessionRequest {
  LockWatchRequest watch;             // which waits are summed, and by what
  LockUsage::Request rows;            // how the sums become rows
  Target target;                      // its workload is set here
  bool whole_system = false;          // a note says how to stop
  std::chrono::milliseconds limit{};  // zero: none
  std::vector<std::string> command;   // empty: no command is started
  UserLocks user_locks = UserLocks::No;
  SymbolPlaces user_places;  // names the callers of user-space locks
};

struct WatchedLocks {
  std::vector<LockRow> kernel;
  std::optional<std::vector<LockRow>> user = {};  // nothing: no table
};

// `kernel` names the functions that waited. Errors: the BPF programs cannot be loaded, or the command cannot be
// started.
Result<WatchedLocks> watch_locks(LockSessionRequest request, Machine& kernel, SessionListener& listener);

}  // namespace peregrine
