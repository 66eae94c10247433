// Ping-pong: two processes or threads that wake each other through two pipes (`bench sched pipe`), and a system call
// that does next to nothing, over and over (`bench syscall`).
#pragma once
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct PingPong {
  u64 loops = 0;
  bool threads = false;  // else processes
  // Folders of control groups that sender and receiver enter, as processes; "": they stay where they are.
  std::string sender_group = {}, receiver_group = {};
};
// Seconds for `loops` rounds. Errors: System.
Result<double> run_ping_pong(const PingPong& game);

enum class CheapCall { GetPpid, GetPgid };
double run_system_calls(CheapCall call, u64 loops);

}  // namespace peregrine
