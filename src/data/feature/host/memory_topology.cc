#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// MEM_TOPOLOGY: u64 version 1, u64 block size, u64 nodes, each: u64 node, u64 bits, u64 bits again, bitmap in u64
// words.
bool decode_memory_topology(ByteReader& in, Features& features) {
  MemoryTopology topology;
  topology.version = in.get64();
  topology.block_size = in.get64();
  const u64 count = in.get64();
  if (!in.ok() || topology.version != 1 || count > in.left() / 24) return false;
  for (u64 i = 0; i < count; ++i) {
    MemoryTopology::Node node;
    node.id = in.get64();
    const u64 bits = in.get64();
    node.bits = in.get64();
    if (node.bits != bits) return false;  // an encoder could write only one of the two
    const u64 words = node.bits / 64 + (node.bits % 64 != 0 ? 1 : 0);
    if (words > in.left() / 8) return false;
    for (u64 n = 0; n < words; ++n) node.set.push_back(in.get64());
    topology.nodes.push_back(std::move(node));
  }
  if (in.ok()) features.memory_topology = std::move(topology);
  return in.ok();
}

bool encode_memory_topology(const Features& features, ByteWriter& out) {
  if (!features.memory_topology) return false;
  const MemoryTopology& topology = *features.memory_topology;
  out.put64(topology.version).put64(topology.block_size).put64(topology.nodes.size());
  for (const auto& node : topology.nodes) {
    out.put64(node.id).put64(node.bits).put64(node.bits);
    for (const u64 word : node.set) out.put64(word);
  }
  return true;
}

}  // namespace peregrine::data
