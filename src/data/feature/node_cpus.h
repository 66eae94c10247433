// The CPUs of the recorded NUMA nodes.
//
// A CPU belongs to one node. Lists are a few bytes for up to 65,536 numbers, so nodes whose lists name more CPUs in
// total than there can be are not believed: the cost of a section does not depend on what it claims. Pure.
#pragma once
#include <vector>

#include "data/feature/features.h"
#include "sys/cpu.h"

namespace peregrine::data {

// One list for each node, in their order; empty for a list that cannot be parsed, and from the first one that brings
// the total above kHighestCpu + 1.
std::vector<CpuList> cpus_of_nodes(const std::vector<NumaNode>& nodes);

}  // namespace peregrine::data
