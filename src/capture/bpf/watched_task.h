// mark_task: enters one thread into a BPF map of task storage, by a pidfd, so that it works in any pid namespace.
#pragma once
#include "base/result.h"
#include "sys/process/process.h"

namespace peregrine {

// `mark`: a value of the map. A thread that has ended meanwhile is no error. Errors: System; threads beside a process's
// first need linux 6.9.
Result<> mark_task(int map, Pid thread, const void* mark);

}  // namespace peregrine
