// mark_task: enters one thread into a BPF map of task storage, by a pidfd, so that it works in any pid namespace.
#pragma once
#include "base/result.h"
#include "capture/bpf/task_mark.h"
#include "sys/process.h"

namespace peregrine {

// A thread that has ended meanwhile is no error. Errors: System; threads beside a process's first need linux 6.9.
Result<> mark_task(int map, Pid thread, const watched_task& mark);

}  // namespace peregrine
