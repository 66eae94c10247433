// Ping-pong: two processes or threads that wake each other through two pipes (`bench sched pipe`), and a system call
// that does next to nothing, over and over (`bench syscall`).
#pragma once
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Seconds for `loops` rounds. Errors: System.
Result<double> run_ping_pong(u64 loops, bool threads);

enum class CheapCall { GetPpid, GetPgid };
double run_system_calls(CheapCall call, u64 loops);

}  // namespace peregrine
