// Finds the NUMA node of a physical address on the recorded machine. Pure.
#pragma once
#include "base/types.h"
#include "data/feature/features.h"

namespace peregrine::data {

// Returns the node's id, or -1 if no node has the address.
i32 node_of_memory(const MemoryTopology& topology, u64 physical);

}  // namespace peregrine::data
