// The tree of recorded tasks for report --tasks, and with --mmaps the maps of each. Byte for byte linux-perf's, since
// programs read it. Pure except for the sink.
#pragma once
#include <span>

#include "analysis/task/task_tree.h"
#include "machine/machine.h"
#include "output/sink.h"

namespace peregrine {

void print_tasks(Sink& out, std::span<const TaskRow> rows, const Machine& machine, bool with_maps);

}  // namespace peregrine
