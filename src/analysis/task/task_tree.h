// TaskTree: who forked whom, as the rows of a drawn tree: parents before their children, each with its depth.
//
// The order of siblings is linux-perf's, which programs compare: by the low byte of the tid, then by tid, but that a
// parent comes before its siblings when a child of its has come. Whoever cannot be reached from a task without a
// parent (a damaged recording may say that two tasks forked each other) is left out.
#pragma once
#include <vector>

#include "machine/process/thread_table.h"

namespace peregrine {

struct TaskRow {
  u32 depth = 0;
  Task task;
};

std::vector<TaskRow> task_rows(std::vector<Task> tasks);

}  // namespace peregrine
