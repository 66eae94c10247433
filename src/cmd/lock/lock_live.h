// lock contention without a recording: sums waits for locks inside the kernel, while a command runs or until it is
// interrupted.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "cmd/recording/recording.h"
#include "session/lock/lock_session.h"

namespace peregrine::cmd {

struct LockLiveOptions {
  TargetRequest target;
  bool use_bpf = false, by_owner = false;
  std::optional<bool> user_locks;  // unset: of processes, unless something else is chosen
  u32 most_kinds = 10240;
  std::string types, locks, cgroups;  // only these
  std::string delays;                 // -J: "10ms@LOCK"
  // Whether anything asks for it.
  bool asked(const Invocation& call) const {
    return use_bpf || by_owner || user_locks.value_or(false) || target.system_wide || !target.cpus.empty() ||
           !target.pids.empty() || !target.tids.empty() || !cgroups.empty() || !delays.empty() || !call.words.empty();
  }
};

// -Y and -L as numbers; names of locks are looked up in a list of the kernel's symbols, the live one where none is
// named. Errors: Usage, with the words there are.
Result<std::vector<u32>> lock_types(const std::string& words);
Result<std::vector<u64>> lock_addresses(const std::string& words, const std::string& kallsyms,
                                        std::string_view option = "-L");
// -J: "10ms@LOCK,…".
Result<std::vector<LockWatchRequest::Delay>> lock_delays(const std::string& words, const std::string& kallsyms);

// Errors: options that are not valid; as the session.
Result<WatchedLocks> watched_locks(const LockLiveOptions& options, const LockUsage::Request& request,
                                   const SymbolOptions& symbols, Invocation& call);

}  // namespace peregrine::cmd
