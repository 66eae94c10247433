// Ping-pong: two processes or threads that wake each other through two pipes (`bench sched pipe`), and a trivial system
// call in a loop (`bench syscall`).
#pragma once
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct PingPong {
  u64 loops = 0;
  bool threads = false;  // else processes
  // Cgroup folders that sender and receiver processes join; "": none.
  std::string sender_group = {}, receiver_group = {};
};
// Returns seconds for `loops` rounds. Errors: System.
Result<double> run_ping_pong(const PingPong& game);

enum class CheapCall { GetPpid, GetPgid };
double run_system_calls(CheapCall call, u64 loops);

}  // namespace peregrine
