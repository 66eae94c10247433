// Messaging: groups of senders and receivers that pass small messages through sockets or pipes, as many processes or
// threads at once: how the scheduler copes with all of them being ready (`bench sched messaging`).
//
// In each group every sender writes `loops` messages to every receiver. All wait until all are there; the time is from
// then until the last has ended.
#pragma once
#include "base/result.h"

namespace peregrine {

struct MessagingPlan {
  static constexpr unsigned kSide = 20;  // senders in a group, and as many receivers
  unsigned groups = 10, loops = 100;
  bool threads = false, pipes = false;
};

// Seconds. Errors: System, when so many cannot be started.
Result<double> run_messaging(const MessagingPlan& plan);

}  // namespace peregrine
