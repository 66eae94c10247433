#include "data/feature/host/node_memory.h"

#include "base/types.h"

namespace peregrine::data {

i32 node_of_memory(const MemoryTopology& topology, u64 physical) {
  if (topology.block_size == 0) return -1;
  const u64 block = physical / topology.block_size;
  for (const MemoryTopology::Node& node : topology.nodes)
    if (block / 64 < node.set.size() && (node.set[block / 64] >> block % 64 & 1) != 0) return static_cast<i32>(node.id);
  return -1;
}

}  // namespace peregrine::data
