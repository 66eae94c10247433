#include "cmd/lock/lock_live.h"

#include <algorithm>
#include <charconv>

#include "analysis/lock/lock_sums.h"
#include "base/fd.h"
#include "base/text/counted.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "cmd/events/measured_run.h"
#include "cmd/frame/duration.h"
#include "cmd/lock/futex_watcher.h"
#include "cmd/recording/running_kernel.h"
#include "sys/process/cgroup.h"

namespace peregrine::cmd {

namespace {

constexpr std::chrono::milliseconds kLockTargetCheck{100};
// An owner that is delayed may hold a spinlock, with interrupts off.
constexpr u64 kLongestDelay = 10'000'000;
constexpr std::chrono::milliseconds kRingCheck{20};  // rings hold some thousand waits

// "0xffffffff83005000", "ffffffff83005000".
std::optional<u64> hexadecimal(std::string_view word) {
  if (word.starts_with("0x")) word.remove_prefix(2);
  u64 value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// Of data too, which symbol tables leave out.
std::optional<u64> address_in(std::string_view list, std::string_view name) {
  for (std::size_t at = list.find(name); at != std::string_view::npos; at = list.find(name, at + 1)) {
    const std::size_t behind = at + name.size(), line = list.rfind('\n', at) + 1;
    const bool whole = at >= line + 3 && list[at - 1] == ' ' && (behind == list.size() || list[behind] == '\n');
    if (whole) return hexadecimal(list.substr(line, list.find(' ', line) - line));
  }
  return std::nullopt;
}

Result<std::vector<u64>> cgroup_ids(const std::string& names) {
  std::vector<u64> ids;
  for (const std::string& name : split_words(names)) {
    const auto cgroup = unified_cgroup(Root(), name);
    if (!cgroup) return std::unexpected(cgroup.error());
    ids.push_back(cgroup->id);
  }
  return ids;
}

Result<LockWatchRequest> request_of(const LockLiveOptions& options, LockBy by, const SymbolOptions& symbols) {
  LockWatchRequest request;
  request.by = options.by_owner       ? LockWaitsBy::Owner
               : by == LockBy::Task   ? LockWaitsBy::Task
               : by == LockBy::Lock   ? LockWaitsBy::Lock
               : by == LockBy::Cgroup ? LockWaitsBy::Cgroup
                                      : LockWaitsBy::Caller;
  request.most_kinds = options.most_kinds;
  auto types = lock_types(options.types);
  if (!types) return std::unexpected(std::move(types.error()));
  auto locks = lock_addresses(options.locks, symbols.kallsyms);
  if (!locks) return std::unexpected(std::move(locks.error()));
  auto cgroups = cgroup_ids(options.cgroups);
  if (!cgroups) return std::unexpected(std::move(cgroups.error()));
  auto delays = lock_delays(options.delays, symbols.kallsyms);
  if (!delays) return std::unexpected(std::move(delays.error()));
  request.delays = std::move(*delays);
  request.types = std::move(*types);
  request.locks = std::move(*locks);
  request.cgroups = std::move(*cgroups);
  return request;
}

// How the end is waited for: rings are drained meanwhile, and watched threads may end.
EndWait lock_wait(const Target& target, std::optional<FutexWatcher>& futexes) {
  EndWait wait{.period = futexes ? kRingCheck : kLockTargetCheck};
  if (futexes) wait.look = [&futexes] { futexes->drain(false); };
  if (target.kind == TargetKind::Threads)
    wait.gone = [&target] {
      return std::ranges::none_of(target.threads, [](Pid thread) { return status_of(Root(), thread).has_value(); });
    };
  return wait;
}

// Waits of user space are shown where processes are watched and nothing is chosen that only the kernel's locks have.
bool wants_user_locks(const LockLiveOptions& options, const Target& target, LockBy by, const Messages& messages) {
  if (options.user_locks) return *options.user_locks;
  const bool chosen = !options.types.empty() || !options.locks.empty() || !options.cgroups.empty();
  return target.kind != TargetKind::Cpus && !chosen && by != LockBy::Cgroup && !messages.quiet();
}

Result<std::optional<FutexWatcher>> watch_futexes(const LockLiveOptions& options, const Target& target,
                                                  std::optional<Pid> workload, const LockUsage::Request& request,
                                                  SymbolPlaces places, Invocation& call) {
  if (!wants_user_locks(options, target, request.by, call.messages)) return std::nullopt;
  auto opened = FutexWatcher::open(target, workload, request, std::move(places));
  if (opened) return std::optional(std::move(*opened));
  if (options.user_locks) return std::unexpected(std::move(opened.error()));
  call.messages.note(fmt::format("locks of user space are not shown: {}", opened.error().message), opened.error().hint);
  return std::nullopt;
}

// A group that is gone has no name any more.
void name_cgroups(std::vector<LockRow>& rows) {
  const Root root;
  for (LockRow& row : rows) {
    row.name = unified_cgroup_name(root, row.key);
    if (row.name.empty()) row.name = fmt::format("cgroup {}", row.key);
  }
}

void tell_losses(const LockWatcher& watcher, Messages& messages) {
  const LockWatcher::Lost lost = watcher.lost();
  if (lost.waits != 0)
    messages.warning(fmt::format("{} not counted: --map-nr-entries makes room for more kinds",
                                 counted(lost.waits, "wait was", "waits were")));
  if (lost.stacks != 0)
    messages.warning(
        fmt::format("{} no callers: there were too many stacks", counted(lost.stacks, "wait has", "waits have")));
  if (lost.tasks != 0)
    messages.warning(fmt::format("{} could not be followed", counted(lost.tasks, "new task", "new tasks")));
}

}  // namespace

Result<std::vector<u32>> lock_types(const std::string& words) {
  std::vector<u32> types;
  for (const std::string& word : split_words(words)) {
    const std::vector<u32> flags = lock_flags(word);
    if (flags.empty())
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("-Y: no kind of lock is called '{}'", word)}.with_hint(
          "there are spinlock, mutex, rwlock:R, rwlock:W, rwsem:R, rwsem:W, rtmutex, rwlock-rt:R, rwlock-rt:W, "
          "pcpu-sem:R, pcpu-sem:W, semaphore"));
    types.insert(types.end(), flags.begin(), flags.end());
  }
  return types;
}

Result<std::vector<u64>> lock_addresses(const std::string& words, const std::string& kallsyms,
                                        std::string_view option) {
  std::vector<u64> addresses;
  std::optional<std::string> list;
  for (const std::string& word : split_words(words)) {
    std::optional<u64> address = hexadecimal(word);
    if (!address) {
      if (!list) list = read_regular_file(kallsyms.empty() ? "/proc/kallsyms" : kallsyms).value_or("");
      address = address_in(*list, word);
    }
    if (address.value_or(0) == 0)
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("{}: unknown lock '{}'", option, word)}.with_hint(
          "its address in hexadecimal, as -l shows it, or the kernel's name of it"));
    addresses.push_back(*address);
  }
  return addresses;
}

Result<std::vector<LockWatchRequest::Delay>> lock_delays(const std::string& words, const std::string& kallsyms) {
  std::vector<LockWatchRequest::Delay> delays;
  for (const std::string& word : split_words(words)) {
    const std::size_t at = word.find('@');
    const auto ns = at == std::string::npos ? std::nullopt : nanoseconds_of(std::string_view(word).substr(0, at));
    if (!ns)
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("-J: invalid delay '{}'", word)}.with_hint(
          "write TIME@LOCK, as in 100us@cgroup_mutex"));
    if (*ns > kLongestDelay) return fail(ErrorKind::Usage, "-J: delay of '{}' is longer than 10ms", word);
    const auto lock = lock_addresses(word.substr(at + 1), kallsyms, "-J");
    if (!lock) return std::unexpected(lock.error());
    if (lock->size() != 1) return fail(ErrorKind::Usage, "-J: '{}' names no lock", word);
    delays.push_back({lock->front(), *ns});
  }
  return delays;
}

Result<WatchedLocks> watch_locks(const LockLiveOptions& options, const LockUsage::Request& request,
                                 const SymbolOptions& symbols, Invocation& call) {
  const auto machine = running_kernel(symbols, call.config);
  auto wanted = request_of(options, request.by, symbols);
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  TargetRequest whom = options.target;
  if (call.words.empty() && whom.pids.empty() && whom.tids.empty() && whom.cpus.empty()) whom.system_wide = true;
  auto target = make_target(Root(), whom);
  if (!target) return std::unexpected(std::move(target.error()));
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto started = start_watched(call.words, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  if (workload && target->kind == TargetKind::Workload) target->set_workload(workload->pid());
  const bool at_exec = target->kind == TargetKind::Workload;
  auto futexes = watch_futexes(options, *target, at_exec ? std::optional(workload->pid()) : std::nullopt, request,
                               running_kernel_places(symbols, call.config), call);
  if (!futexes) return std::unexpected(std::move(futexes.error()));
  auto watcher = LockWatcher::open(*wanted, *target, at_exec, perf_limits(Root()));
  if (!watcher) return std::unexpected(std::move(watcher.error()));
  if (!at_exec) PEREGRINE_TRY(watcher->enable());
  if (!at_exec && *futexes) PEREGRINE_TRY((*futexes)->start());
  if (workload) PEREGRINE_TRY(workload->let_go());
  if (!workload && whom.system_wide) note_endless_run(call.messages);
  PEREGRINE_TRY(wait_for_end(*watch, workload, lock_wait(*target, *futexes)));
  PEREGRINE_TRY(watcher->disable());
  if (workload) {
    PEREGRINE_TRY(workload->exec_result());
    workload->wait();
  }
  tell_losses(*watcher, call.messages);
  if (!wanted->delays.empty() && watcher->injected_delays() == 0)
    call.messages.warning("no delay was injected: nobody got the lock after a wait");
  WatchedLocks watched{lock_rows(watcher->waits(), request, *machine), std::nullopt};
  if (request.by == LockBy::Cgroup) name_cgroups(watched.kernel);
  if (!*futexes) return watched;
  PEREGRINE_TRY((*futexes)->stop());
  (*futexes)->drain(true);
  if (const u64 lost = (*futexes)->lost(); lost != 0)
    call.messages.warning(fmt::format("{} lost: there are more waits than are shown",
                                      counted(lost, "call of futex(2) was", "calls of futex(2) were")));
  watched.user = (*futexes)->rows();
  return watched;
}

}  // namespace peregrine::cmd
