// PerfClock: reads the clock of an event's samples from user space. The default clock is internal to the kernel and has
// no system call: an event on this thread timestamps the record written when the thread sets its name to the same name.
#pragma once
#include <optional>

#include "abi/attr.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/ring_buffer.h"

namespace peregrine {

// ns.
i64 read_clock(int clockid);

class PerfClock {
 public:
  // For events with this attr (its clockid). Use only on the calling thread.
  static Result<PerfClock> open(const abi::EventAttr& attr);

  // ns to add to CLOCK_MONOTONIC to get the samples' clock now; the two drift.
  Result<i64> offset();

 private:
  PerfClock() = default;

  std::optional<int> clockid_;  // a clock user space can read
  Fd event_;
  std::optional<RingBuffer> ring_;
};

}  // namespace peregrine
