#include "session/lock/lock_choice.h"

#include <fmt/format.h>

#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/judged_file.h"
#include "base/number/duration.h"
#include "base/number/parse_number.h"
#include "base/text/words.h"
#include "base/types.h"
#include "sys/process/cgroup.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// The delayed owner may hold a spinlock, with interrupts off.
constexpr u64 kLongestDelay = 10'000'000;  // ns

// "0xffffffff83005000", "ffffffff83005000".
std::optional<u64> lock_address(std::string_view word) {
  if (word.starts_with("0x")) word.remove_prefix(2);
  return parse_number<u64>(word, 16);
}

// Locks are data, which symbol tables omit, so search the list itself. A module's name follows a tab.
std::optional<u64> address_in_list(std::string_view list, std::string_view name) {
  for (std::size_t at = list.find(name); at != std::string_view::npos; at = list.find(name, at + 1)) {
    const std::size_t behind = at + name.size(), line = list.rfind('\n', at) + 1;
    const bool ends = behind == list.size() || list[behind] == '\n' || list[behind] == '\t';
    const bool whole = at >= line + 3 && list[at - 1] == ' ' && ends;
    if (whole) return lock_address(list.substr(line, list.find(' ', line) - line));
  }
  return std::nullopt;
}

Result<std::vector<u32>> lock_types(const std::string& words) {
  std::vector<u32> types;
  for (const std::string& word : split_words(words)) {
    const std::vector<u32> flags = lock_flags(word);
    if (flags.empty())
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("-Y: unknown lock type '{}'", word)}.with_hint(
          "must be one of spinlock, mutex, rwlock:R, rwlock:W, rwsem:R, rwsem:W, rtmutex, rwlock-rt:R, rwlock-rt:W, "
          "pcpu-sem:R, pcpu-sem:W, semaphore"));
    types.insert(types.end(), flags.begin(), flags.end());
  }
  return types;
}

// `option`: its name, for errors.
Result<std::vector<u64>> lock_addresses(const std::string& words, const std::string& kallsyms,
                                        std::string_view option) {
  std::vector<u64> addresses;
  std::optional<std::string> list;
  for (const std::string& word : split_words(words)) {
    std::optional<u64> address = lock_address(word);
    if (!address) {
      if (!list) list = read_regular_file(kallsyms.empty() ? "/proc/kallsyms" : kallsyms).value_or("");
      address = address_in_list(*list, word);
    }
    if (address.value_or(0) == 0)
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("{}: unknown lock '{}'", option, word)}.with_hint(
          "expected a hexadecimal address, as shown by -l, or a kernel symbol"));
    addresses.push_back(*address);
  }
  return addresses;
}

Result<std::vector<LockWatchRequest::Delay>> lock_delays(const LockChoice& choice) {
  std::vector<LockWatchRequest::Delay> delays;
  for (const std::string& word : split_words(choice.delays)) {
    const std::size_t at = word.find('@');
    const auto ns = at == std::string::npos ? std::nullopt : nanoseconds_of(std::string_view(word).substr(0, at));
    if (!ns)
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("-J: invalid delay '{}'", word)}.with_hint(
          "expected TIME@LOCK, such as 100us@cgroup_mutex"));
    if (*ns > kLongestDelay) return fail(ErrorKind::Usage, "-J: delay in '{}' exceeds 10ms", word);
    const auto lock = lock_addresses(word.substr(at + 1), choice.kallsyms, "-J");
    if (!lock) return std::unexpected(lock.error());
    if (lock->size() != 1) return fail(ErrorKind::Usage, "-J: '{}' must name one lock", word);
    delays.push_back({lock->front(), *ns});
  }
  return delays;
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

LockWaitsBy waits_by(const LockChoice& choice, LockBy by) {
  if (choice.by_owner) return LockWaitsBy::Owner;
  switch (by) {
    case LockBy::Task:
      return LockWaitsBy::Task;
    case LockBy::Lock:
      return LockWaitsBy::Lock;
    case LockBy::Cgroup:
      return LockWaitsBy::Cgroup;
    default:
      return LockWaitsBy::Caller;
  }
}

}  // namespace

Result<> choose_locks(const LockChoice& choice, LockUsage::Request& request) {
  auto types = lock_types(choice.types);
  if (!types) return std::unexpected(std::move(types.error()));
  auto locks = lock_addresses(choice.locks, choice.kallsyms, "-L");
  if (!locks) return std::unexpected(std::move(locks.error()));
  request.types = std::move(*types);
  request.locks = std::move(*locks);
  return {};
}

Result<LockWatchRequest> watch_request(const LockChoice& choice, LockBy by) {
  LockUsage::Request chosen;
  PEREGRINE_TRY(choose_locks(choice, chosen));
  auto cgroups = cgroup_ids(choice.cgroups);
  if (!cgroups) return std::unexpected(std::move(cgroups.error()));
  auto delays = lock_delays(choice);
  if (!delays) return std::unexpected(std::move(delays.error()));
  LockWatchRequest request;
  request.by = waits_by(choice, by);
  request.most_kinds = choice.most_kinds;
  request.types = std::move(chosen.types);
  request.locks = std::move(chosen.locks);
  request.cgroups = std::move(*cgroups);
  request.delays = std::move(*delays);
  return request;
}

}  // namespace peregrine
