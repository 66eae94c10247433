// print_recorded_tasks(): the processes and threads of a recording as a tree.
#pragma once
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "output/sink.h"
#include "session/recording_read.h"

namespace peregrine {

// Reads the recording into the machine. `maps`: show memory maps; without it, a map is not evidence of a task, as in
// linux-perf.
RecordingRead read_tasks(data::Reader& reader, Machine& machine, bool maps);
void print_recorded_tasks(const Machine& machine, bool maps, Sink& out);

}  // namespace peregrine
