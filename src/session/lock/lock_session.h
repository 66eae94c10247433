// watch_locks: waits for locks, summed up inside the kernel by a BPF program while a command runs, while processes
// live, or until a signal comes; and the waits for locks of user space beside them. For lock contention without a
// recording.
//
//   LockWatcher  ── sums of waits ─▶ lock_rows() ─▶ rows of the kernel's locks
//   FutexWatcher ── every wait in futex(2) ───────▶ rows of user space's locks
//
// Blocks until the end. One thread.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "capture/scheduling/lock_watcher.h"
#include "machine/machine.h"
#include "session/session_listener.h"

namespace peregrine {

// Whether waits of user space are watched.
enum class UserLocks : u8 { No, WherePossible, Yes };

struct LockSessionRequest {
  LockWatchRequest watch;            // which waits are summed, and by what
  LockUsage::Request rows;           // how the sums become rows
  Target target;                     // its workload is set here
  bool whole_system = false;         // then a note tells how it ends
  std::vector<std::string> command;  // empty: none is started
  UserLocks user_locks = UserLocks::No;
  SymbolPlaces user_places;  // for the callers of those
};

struct WatchedLocks {
  std::vector<LockRow> kernel;
  std::optional<std::vector<LockRow>> user;  // nothing: not watched
};

// `kernel` names the functions that waited. Errors: the programs cannot be loaded, the command cannot be started.
Result<WatchedLocks> watch_locks(LockSessionRequest request, Machine& kernel, SessionListener& listener);

}  // namespace peregrine
