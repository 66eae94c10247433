// TraceQueue: the trace of one processor or one thread, decoded a step of time at a time.
#pragma once
#include "machine/process/moment.h"

namespace peregrine {

class TraceQueue {
 public:
  static constexpr u64 kEnd = ~u64{0};
  virtual ~TraceQueue() = default;
  // ns; nothing before it will be told any more. 0: not known yet; kEnd: all was told.
  virtual u64 time() const = 0;
  // Tells what happened up to a time, and perhaps a little more; the machine knows all of it. `moment`: of what the
  // machine was told last.
  virtual void run(u64 until, Moment moment) = 0;
  // Who runs from now on.
  virtual void set_thread(u32 pid, u32 tid) = 0;
};

}  // namespace peregrine
