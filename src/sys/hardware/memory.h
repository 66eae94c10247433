// Memory for the header of a recording: total size, NUMA nodes with their CPUs, and memory blocks per node.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

// Returns MemTotal of /proc/meminfo in kB, or 0.
u64 total_memory_kb(const Root& root);
// Returns MemAvailable in kB, the memory that programs can get without swapping, or 0.
u64 available_memory_kb(const Root& root);

// The largest kernels are built for 1,024 nodes. Tables are indexed by node.
inline constexpr u32 kHighestNode = 1'023;

struct NumaNode {
  u32 id = 0;
  u64 total_kb = 0, free_kb = 0;
  std::string cpus;  // in the kernel's format: "0-1"; empty for a node without CPUs
};
// Returns the online nodes in ascending order; empty if the kernel has no NUMA support.
std::vector<NumaNode> numa_nodes(const Root& root);

// The memory blocks (of `block_size` bytes) of a node, for the header feature MEM_TOPOLOGY.
struct MemoryNode {
  u64 id = 0;
  u64 bits = 0;             // highest block number + 1
  std::vector<u64> blocks;  // a bitmap, (bits + 63) / 64 words
};
struct MemoryTopology {
  u64 block_size = 0;  // bytes; 0 if unknown
  std::vector<MemoryNode> nodes;
};
MemoryTopology memory_topology(const Root& root);

}  // namespace peregrine
