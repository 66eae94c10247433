// The page of `kwork top`: how busy each CPU was, and the tasks that ran.
#pragma once
#include "analysis/work/cpu_usage.h"
#include "output/sink.h"

namespace peregrine {

// Tasks in the order of the table.
void print_cpu_usage(const CpuUsageTable& usage, Sink& out);

}  // namespace peregrine
