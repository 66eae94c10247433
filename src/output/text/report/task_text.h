// The tree of recorded tasks, as report --tasks prints it, and with each task its maps, for --mmaps.
//
// Programs read these, so they are linux-perf's to the byte. Pure but for the sink.
#pragma once
#include <span>

#include "analysis/task/task_tree.h"
#include "machine/machine.h"
#include "output/sink.h"

namespace peregrine {

void print_tasks(Sink& out, std::span<const TaskRow> rows, const Machine& machine, bool with_maps);

}  // namespace peregrine
