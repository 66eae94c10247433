// mark_task: puts one thread into a BPF task storage map, by pidfd, so it works in any pid namespace.
#pragma once
#include "base/result.h"
#include "sys/process/process.h"

namespace peregrine {

// `mark`: a value of the map. A thread that has ended is not an error. Errors: System; threads other than a process's
// main thread need linux 6.9.
Result<> mark_task(int map, Pid thread, const void* mark);

}  // namespace peregrine
