// Messaging: groups of senders and receivers that exchange small messages through sockets or pipes, as many concurrent
// processes or threads: how the scheduler copes with many runnable tasks (`bench sched messaging`).
//
// In each group every sender writes `loops` messages to every receiver. All wait until all are ready; the measured time
// is from then until the last one ends.
#pragma once
#include "base/result.h"

namespace peregrine {

struct MessagingPlan {
  static constexpr unsigned kSide = 20;  // senders per group, and receivers per group
  unsigned groups = 10, loops = 100;
  bool threads = false, pipes = false;
};

// Returns seconds. Errors: System, cannot start that many.
Result<double> run_messaging(const MessagingPlan& plan);

}  // namespace peregrine
