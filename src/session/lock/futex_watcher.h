// FutexWatcher: records threads that wait for user-space locks in futex(2), while a command runs or processes are
// traced, using the system call's tracepoints and a copy of the top of the stack, which is unwound here.
//
//   open() ─▶ start(), or the workload's exec ─▶ drain(), drain(), … ─▶ stop() ─▶ drain(true) ─▶ rows()
//
// One thread.
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "abi/sample.h"
#include "analysis/lock/futex_waits.h"
#include "analysis/lock/lock_usage.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/sampling/hit_reader.h"
#include "capture/sampling/hit_stream.h"
#include "capture/scheduling/futex_owners.h"
#include "capture/target/target.h"
#include "machine/dso/dso.h"
#include "pipeline/live/live_machine.h"
#include "sys/process/process.h"

namespace peregrine {

class FutexWatcher {
 public:
  // `workload`: the process that starts it by exec. Errors: tracepoints are missing or may not be read.
  static Result<FutexWatcher> open(const Target& target, std::optional<Pid> workload, const LockUsage::Request& request,
                                   SymbolPlaces places);

  Result<> start() { return stream_.start(); }
  Result<> stop() { return stream_.stop(); }
  // Empties the rings; without `last`, keeps the newest hits, since older ones may still arrive.
  void drain(bool last);
  u64 lost() const { return stream_.lost(); }
  std::vector<LockRow> rows() const { return waits_.rows(); }

 private:
  FutexWatcher(HitStream stream, std::unique_ptr<LiveMachine> machine, const LockUsage::Request& request,
               u32 address_at, std::optional<FutexOwners> owners)
      : stream_(std::move(stream)),
        machine_(std::move(machine)),
        waits_(request),
        address_at_(address_at),
        owners_(std::move(owners)) {}
  void take(const EventHit& hit);
  std::optional<FutexOwner> owner_of(const abi::Sample& sample, u64 address);

  HitStream stream_;
  std::unique_ptr<LiveMachine> machine_;
  FutexWaits waits_;
  u32 address_at_;                     // offset of the futex's address in the data of sys_enter_futex
  std::optional<FutexOwners> owners_;  // if requested
  std::vector<EventHit> hits_;         // too recent to be ordered
};

}  // namespace peregrine
