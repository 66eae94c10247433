// lock contention without a recording: sums waits for locks in the kernel, while a command runs or until
// interrupted.
#pragma once
#include <chrono>
#include <optional>

#include "analysis/lock/lock_usage.h"
#include "base/result.h"
#include "capture/target/target.h"
#include "cli/frame/command.h"
#include "cmd/recording/recording.h"
#include "session/lock/lock_choice.h"
#include "session/lock/lock_session.h"

namespace peregrine::cmd {

struct LockLiveOptions {
  TargetRequest target;
  bool use_bpf = false;
  std::optional<bool> user_locks;  // unset: watch processes, unless something else is chosen
  LockChoice choice;
  std::chrono::milliseconds limit{};
  // Whether an option requests it, or there is a command.
  bool asked(const Invocation& call) const {
    return use_bpf || choice.by_owner || user_locks.value_or(false) || target.system_wide || !target.cpus.empty() ||
           !target.pids.empty() || !target.tids.empty() || !choice.cgroups.empty() || !choice.delays.empty() ||
           limit.count() != 0 || !call.words.empty();
  }
};

// Errors: invalid options; those of the session.
Result<WatchedLocks> watched_locks(const LockLiveOptions& options, const LockUsage::Request& request,
                                   const SymbolOptions& symbols, Invocation& call);

}  // namespace peregrine::cmd
