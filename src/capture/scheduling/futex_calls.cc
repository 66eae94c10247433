#include "capture/scheduling/futex_calls.h"

#include <algorithm>
#include <vector>

namespace peregrine {

namespace {
constexpr u32 kOwnerBits = 0x3fffffff;  // FUTEX_TID_MASK

bool inherits_priority(u32 operation) { return operation == 6 || operation == 13; }  // FUTEX_LOCK_PI, FUTEX_LOCK_PI2
}  // namespace

void FutexCalls::keep(const futex_wait& wait) {
  auto& waits = waits_[wait.tid];
  if (waits.size() == kMostWaiting) waits.pop_front();
  waits.push_back(wait);
}

void FutexCalls::forget_old() {
  u64 newest = 0;
  for (const auto& [tid, waits] : waits_) newest = std::max<u64>(newest, waits.back().time);
  for (auto& [tid, waits] : waits_)
    while (!waits.empty() && waits.front().time + kKept < newest) waits.pop_front();
  std::erase_if(waits_, [](const auto& thread) { return thread.second.empty(); });
}

std::optional<FutexOwner> FutexCalls::find(u32 tid, u64 time, u64 address) {
  const auto known = waits_.find(tid);
  if (known == waits_.end()) return std::nullopt;
  std::deque<futex_wait>& waits = known->second;
  std::optional<futex_wait> found;
  while (!waits.empty() && waits.front().time <= time) {
    found = waits.front();
    waits.pop_front();
  }
  if (waits.empty()) waits_.erase(known);
  if (!found || found->address != address) return std::nullopt;
  FutexOwner owner{.in_word = 0, .in_mutex = found->owner & kOwnerBits};
  if (inherits_priority(found->operation)) owner.in_word = found->word & kOwnerBits;
  return owner;
}

}  // namespace peregrine
