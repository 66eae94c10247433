// PerfClock: the clock of an event's samples, read from user space. By default it is the kernel's own, which no system
// call tells: an event of ours on this thread notes the moment in a record when the thread renames itself to its name.
#pragma once
#include <optional>

#include "abi/attr.h"
#include "base/fd.h"
#include "base/result.h"
#include "capture/perf_event/ring_buffer.h"

namespace peregrine {

// ns.
i64 read_clock(int clockid);

class PerfClock {
 public:
  // Of events with this attr (its clockid). For the thread that calls it.
  static Result<PerfClock> open(const abi::EventAttr& attr);

  // ns to add to CLOCK_MONOTONIC for the samples' clock, now: the two drift.
  Result<i64> offset();

 private:
  PerfClock() = default;

  std::optional<int> clockid_;  // a clock that can be read
  Fd event_;
  std::optional<RingBuffer> ring_;
};

}  // namespace peregrine
