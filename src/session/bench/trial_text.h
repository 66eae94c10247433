// Final lines shared by several benchmarks, in linux-perf's format.
#pragma once
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// "     Total time: 0.041 [sec]".
void write_total_time(Sink& out, double seconds);

// Time per operation, and operations per second. `operations` must not be 0.
void write_operation_rate(Sink& out, double seconds, u64 operations);

}  // namespace peregrine
