#include "cmd/lock/lock_live.h"

#include <algorithm>
#include <charconv>

#include "base/fd.h"
#include "cli/frame/duration.h"
#include "cmd/recording/running_kernel.h"
#include "sys/process/cgroup.h"

namespace peregrine::cmd {

namespace {

// An owner that is delayed may hold a spinlock, with interrupts off.
constexpr u64 kLongestDelay = 10'000'000;

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

// Waits of user space are shown where processes are watched and nothing is chosen that only the kernel's locks have.
UserLocks wanted_user_locks(const LockLiveOptions& options, const Target& target, LockBy by, const Messages& messages) {
  if (options.user_locks) return *options.user_locks ? UserLocks::Yes : UserLocks::No;
  const bool chosen = !options.types.empty() || !options.locks.empty() || !options.cgroups.empty();
  const bool shown = target.kind != TargetKind::Cpus && !chosen && by != LockBy::Cgroup && !messages.quiet();
  return shown ? UserLocks::WherePossible : UserLocks::No;
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

Result<WatchedLocks> watched_locks(const LockLiveOptions& options, const LockUsage::Request& request,
                                   const SymbolOptions& symbols, Invocation& call) {
  const auto machine = running_kernel(symbols, call.config);
  auto wanted = request_of(options, request.by, symbols);
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
                      .command = call.words,
                      .user_locks = user_locks,
                      .user_places = running_kernel_places(symbols, call.config)},
                     *machine, call.messages);
}

}  // namespace peregrine::cmd
