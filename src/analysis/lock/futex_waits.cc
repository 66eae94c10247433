#include "analysis/lock/futex_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "analysis/flat_index.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

namespace {

// The first match in the innermost function's name wins: __pthread_mutex_cond_lock waits for a mutex.
constexpr std::pair<std::string_view, std::string_view> kFunctionTypes[] = {
    {"mutex", "mutex"},
    {"lll_lock", "mutex"},
    {"rdlock", "rwlock:R"},
    {"lock_shared", "rwlock:R"},
    {"read_contended", "rwlock:R"},
    {"wrlock", "rwlock:W"},
    {"write_contended", "rwlock:W"},
    {"cond", "condvar"},
    {"sem_", "semaphore"},
    {"semaphore", "semaphore"},
    {"barrier", "barrier"},
    {"latch", "barrier"},
    {"join", "join"},
    {"park", "park"},
};
constexpr std::string_view kNoLocks[] = {"condvar", "barrier", "join", "park"};
constexpr std::string_view kLibraries[] = {"libc.",   "libc-",    "libpthread", "libstdc++",
                                           "libc++.", "ld-linux", "ld-musl",    "libgcc_s"};
constexpr std::string_view kLockCode[] = {"pthread_", "__pthread_", "___pthread_", "__lll_",    "lll_",
                                          "__futex",  "futex_",     "sem_",        "__new_sem", "__gthread_",
                                          "__gthrw_", "std::",      "<std::",      "syscall"};

constexpr u64 kUnknownOwner = ~u32{0};

bool begins_with_any(std::string_view text, std::span<const std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

bool is_library(const Frame& frame, const Resolver& resolver) {
  if (!frame.dso) return false;
  return begins_with_any(resolver.machine().dsos().at(frame.dso).short_name, kLibraries);
}

}  // namespace

std::string_view user_lock_type(std::string_view function) {
  // Strip template and function arguments. A Rust name may begin with '<', which must stay.
  function = function.substr(0, function.find_first_of(function.starts_with('<') ? "(" : "(<"));
  for (const auto& [part, type] : kFunctionTypes)
    if (function.find(part) != function.npos) return type;
  return "";
}

bool is_user_lock_code(std::string_view function) { return begins_with_any(function, kLockCode); }

FutexWaits::Caller FutexWaits::find_caller(Resolver& resolver) {
  Caller caller;
  for (; caller.frame < frames_.size(); ++caller.frame) {
    const Frame& frame = resolver.at(frames_[caller.frame]);
    const std::string_view name = frame.symbol ? resolver.symbol_name(frame) : std::string_view();
    if (!is_library(frame, resolver) && !is_user_lock_code(name)) break;
    if (caller.type.empty()) caller.type = user_lock_type(name);
  }
  if (caller.frame == frames_.size()) caller.frame = 0;  // only library code: the stack was truncated
  for (std::size_t i = caller.frame; i < frames_.size(); ++i) caller.key = mix_bits(caller.key ^ addresses_[i]);
  return caller;
}

std::string FutexWaits::frame_text(std::size_t frame, Resolver& resolver) const {
  if (frame >= frames_.size()) return "Unknown";
  const Frame& at = resolver.at(frames_[frame]);
  if (at.symbol) return fmt::format("{}+{:#x}", resolver.symbol_name(at), resolver.symbol_offset(at));
  return fmt::format("{:#x}", addresses_[frame]);
}

bool FutexWaits::has_function(Resolver& resolver) const {
  return std::ranges::any_of(frames_, [&](FrameId id) {
    const Frame& frame = resolver.at(id);
    const std::string_view name = frame.symbol ? resolver.symbol_name(frame) : std::string_view();
    return std::ranges::any_of(request_.functions,
                               [&](const std::string& text) { return name.find(text) != name.npos; });
  });
}

u64 FutexWaits::key_of(const Call& call, const Caller& caller) const {
  if (request_.by_owner) {
    if (!call.owner) return kUnknownOwner;
    const u32 owner = call.owner->in_word != 0 ? call.owner->in_word
                      : caller.type == "mutex" ? call.owner->in_mutex
                                               : 0;
    return owner == 0 ? kUnknownOwner : owner;
  }
  if (request_.by == LockBy::Task) return call.tid;
  return request_.by == LockBy::Lock ? mix_bits(call.address ^ (u64{call.pid} << 32)) : caller.key;
}

void FutexWaits::begin(const Call& call, const Resolver::Context& context, std::span<const u64> callchain,
                       Resolver& resolver, const ThreadName& name_of) {
  // If the end of the last wait was lost, its time is unknown and it does not count.
  sleepers_.erase(call.tid);
  frames_.clear();
  addresses_.clear();
  resolver.chain(context, callchain, request_.skip + request_.max_stack, frames_, &addresses_);
  if (!request_.functions.empty() && !has_function(resolver)) return;
  const Caller caller = find_caller(resolver);
  if (std::ranges::find(kNoLocks, caller.type) != std::end(kNoLocks)) return;
  const u64 key = key_of(call, caller);
  const auto [at, fresh] = rows_.try_emplace(key);
  sleepers_[call.tid] = {call.time, key};
  if (!fresh) return;
  LockRow& row = at->second;
  row.key = request_.by == LockBy::Lock ? call.address : key;
  row.type = caller.type.empty() ? "futex" : caller.type;
  if (request_.by_owner)
    row.name = key == kUnknownOwner || !name_of ? "Unknown" : name_of(static_cast<u32>(key));
  else
    row.name = request_.by == LockBy::Task ? std::string(resolver.comm(context)) : frame_text(caller.frame, resolver);
  if (!request_.stacks) return;
  for (std::size_t i = 0; i < frames_.size(); ++i)
    row.stack.push_back(fmt::format("{:#x}  {}", addresses_[i], frame_text(i, resolver)));
}

void FutexWaits::end(u32 tid, u64 time) {
  const auto sleeper = sleepers_.find(tid);
  if (sleeper == sleepers_.end()) return;
  LockRow& row = rows_[sleeper->second.row];
  const u64 waited = time - std::min(time, sleeper->second.since);
  row.least = row.waits == 0 ? waited : std::min(row.least, waited);
  row.most = std::max(row.most, waited);
  row.total += waited;
  ++row.waits;
  ++row.acquired;
  ++row.contended;
  sleepers_.erase(sleeper);
}

std::vector<LockRow> FutexWaits::rows() const {
  std::vector<LockRow> all;
  for (const auto& [key, row] : rows_)
    if (row.waits != 0) all.push_back(row);
  return all;
}

}  // namespace peregrine
