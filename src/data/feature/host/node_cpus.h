// The CPUs of the recorded NUMA nodes.
//
// A CPU belongs to one node. A list of a few bytes can name up to 65,536 CPUs, so nodes with more CPUs in total
// than possible are rejected: a small section cannot cause much work. Pure.
#pragma once
#include <vector>

#include "base/types.h"
#include "data/feature/features.h"
#include "sys/hardware/cpu.h"

namespace peregrine::data {

// Returns one list per node, in their order. A list is empty if it cannot be parsed; all are empty from the first one
// that brings the total above kHighestCpu + 1.
std::vector<CpuList> cpus_of_nodes(const std::vector<NumaNode>& nodes);

// Returns the node id of each CPU, or `unknown` for a CPU without a node. Ends with the highest CPU of any node.
std::vector<i32> nodes_of_cpus(const std::vector<NumaNode>& nodes, i32 unknown);

}  // namespace peregrine::data
