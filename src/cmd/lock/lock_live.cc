#include "cmd/lock/lock_live.h"

#include <expected>
#include <utility>

#include "base/result.h"
#include "capture/target/target.h"
#include "cli/frame/command.h"
#include "cli/frame/message.h"
#include "cmd/recording/running_kernel.h"
#include "sys/root.h"

namespace peregrine::cmd {

namespace {

// By default, user-space waits are shown if processes are watched and no option is specific to kernel locks.
UserLocks wanted_user_locks(const LockLiveOptions& options, const Target& target, LockBy by, const Messages& messages) {
  if (options.user_locks) return *options.user_locks ? UserLocks::Yes : UserLocks::No;
  const bool chosen = !options.choice.types.empty() || !options.choice.locks.empty() || !options.choice.cgroups.empty();
  const bool shown = target.kind != TargetKind::Cpus && !chosen && by != LockBy::Cgroup && !messages.quiet();
  return shown ? UserLocks::WherePossible : UserLocks::No;
}

}  // namespace

Result<WatchedLocks> watched_locks(const LockLiveOptions& options, const LockUsage::Request& request,
                                   const SymbolOptions& symbols, Invocation& call) {
  const auto machine = running_kernel(symbols, call.config);
  auto wanted = watch_request(options.choice, request.by);
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  TargetRequest whom = options.target;
  if (call.words.empty() && whom.pids.empty() && whom.tids.empty() && whom.cpus.empty()) whom.system_wide = true;
  auto target = make_target(Root(), whom);
  if (!target) return std::unexpected(std::move(target.error()));
  const UserLocks user_locks = wanted_user_locks(options, *target, request.by, call.messages);
  return watch_locks({.watch = std::move(*wanted),
                      .rows = request,
                      .target = std::move(*target),
                      .whole_system = whom.system_wide,
                      .limit = options.limit,
                      .command = call.words,
                      .user_locks = user_locks,
                      .user_places = running_kernel_places(symbols, call.config)},
                     *machine, call.messages);
}

}  // namespace peregrine::cmd
