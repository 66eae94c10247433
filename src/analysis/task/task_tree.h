// TaskTree: who forked whom, as the rows of a tree: parents before children, with depth.
//
// Siblings are in linux-perf's order, which programs compare: by the low byte of the tid, then by tid, except that a
// task is moved up when one of its children appears. If tasks forked each other, as in a damaged recording, the one
// that comes first in this order is a root.
#pragma once
#include <vector>

#include "base/types.h"
#include "machine/process/thread_table.h"

namespace peregrine {

struct TaskRow {
  u32 depth = 0;
  Task task;
};

std::vector<TaskRow> task_rows(std::vector<Task> tasks);

}  // namespace peregrine
