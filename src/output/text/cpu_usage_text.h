// The page of `kwork top`: how busy each CPU was, and the tasks that ran.
#pragma once
#include <vector>

#include "analysis/work/cpu_usage.h"
#include "output/sink.h"

namespace peregrine {

void print_cpu_usage(const CpuUsage& usage, const std::vector<TaskUsage>& rows, Sink& out);

}  // namespace peregrine
