// FutexCalls: the futex calls reported by the BPF program, by thread in time order, until the owner at one of
// them is looked up.
//
// Most calls belong to other programs and are never looked up, so old calls and those beyond a limit are dropped. Pure.
#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>

#include "base/types.h"
#include "capture/bpf/scheduling/futex_owner.h"
#include "capture/scheduling/futex_owners.h"

namespace peregrine {

class FutexCalls {
 public:
  static constexpr u64 kKept = 2'000'000'000;        // ns to keep a call
  static constexpr std::size_t kMostWaiting = 4096;  // unclaimed calls of one thread; the oldest go first

  void keep(const futex_wait& wait);
  // Forgets calls older than the newest one of all threads by more than kKept.
  void forget_old();
  // See FutexOwners::find().
  std::optional<FutexOwner> find(u32 tid, u64 time, u64 address);

 private:
  std::unordered_map<u32, std::deque<futex_wait>> waits_;  // by tid; no list is empty
};

}  // namespace peregrine
