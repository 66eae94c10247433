#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"
#include "sys/hardware/memory.h"

namespace peregrine::data {

// NUMA_TOPOLOGY: u32 count, each: u32 node, u64 total kB, u64 free kB, string CPUs.
bool decode_numa_topology(ByteReader& in, Features& features) {
  std::vector<NumaNode> nodes;
  const u32 count = get_count(in, 24);
  if (count > kHighestNode + 1) return false;  // beyond what any kernel supports
  for (u32 left = count; left > 0; --left) {
    NumaNode node;
    node.id = in.get32();
    if (node.id > kHighestNode) return false;
    node.total_kb = in.get64();
    node.free_kb = in.get64();
    node.cpus = get_string(in);
    nodes.push_back(std::move(node));
  }
  if (in.ok()) features.numa_topology = std::move(nodes);
  return in.ok();
}

bool encode_numa_topology(const Features& features, ByteWriter& out) {
  if (!features.numa_topology) return false;
  out.put32(static_cast<u32>(features.numa_topology->size()));
  for (const NumaNode& node : *features.numa_topology) {
    out.put32(node.id).put64(node.total_kb).put64(node.free_kb);
    put_string(out, node.cpus);
  }
  return true;
}

}  // namespace peregrine::data
