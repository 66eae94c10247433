// Which NUMA node of the recorded machine a physical address belongs to. Pure.
#pragma once
#include "data/feature/features.h"

namespace peregrine::data {

// The node's id; -1 for an address that no node has.
i32 node_of_memory(const MemoryTopology& topology, u64 physical);

}  // namespace peregrine::data
