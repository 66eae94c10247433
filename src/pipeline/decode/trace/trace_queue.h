// TraceQueue: the trace of one processor or thread, decoded step by step in time.
#pragma once
#include "base/types.h"
#include "machine/process/moment.h"

namespace peregrine {

class TraceQueue {
 public:
  static constexpr u64 kEnd = ~u64{0};
  virtual ~TraceQueue() = default;
  // ns; all earlier samples have been output. 0: unknown so far; kEnd: finished.
  virtual u64 time() const = 0;
  // Decodes up to `until`, possibly a little more; the machine is up to date for that time. `moment`: of the last
  // record applied to the machine.
  virtual void run(u64 until, Moment moment) = 0;
  // The thread that runs from now on.
  virtual void set_thread(u32 pid, u32 tid) = 0;
};

}  // namespace peregrine
