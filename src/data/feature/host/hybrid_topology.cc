#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// HYBRID_TOPOLOGY: u32 count, each: string PMU, string CPUs.
bool decode_hybrid_topology(ByteReader& in, Features& features) {
  std::vector<HybridPmu> pmus;
  for (u32 left = get_count(in, 8); left > 0; --left) {
    HybridPmu pmu;
    pmu.name = get_string(in);
    pmu.cpus = get_string(in);
    pmus.push_back(std::move(pmu));
  }
  if (in.ok()) features.hybrid_topology = std::move(pmus);
  return in.ok();
}

bool encode_hybrid_topology(const Features& features, ByteWriter& out) {
  if (!features.hybrid_topology) return false;
  out.put32(static_cast<u32>(features.hybrid_topology->size()));
  for (const HybridPmu& pmu : *features.hybrid_topology) {
    put_string(out, pmu.name);
    put_string(out, pmu.cpus);
  }
  return true;
}

}  // namespace peregrine::data
