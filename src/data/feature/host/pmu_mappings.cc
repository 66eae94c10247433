#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// PMU_MAPPINGS: u32 count, each: u32 type, string name.
bool decode_pmu_mappings(ByteReader& in, Features& features) {
  std::vector<PmuType> pmus;
  for (u32 left = get_count(in, 8); left > 0; --left) {
    PmuType pmu;
    pmu.type = in.get32();
    pmu.name = get_string(in);
    pmus.push_back(std::move(pmu));
  }
  if (in.ok()) features.pmu_mappings = std::move(pmus);
  return in.ok();
}

bool encode_pmu_mappings(const Features& features, ByteWriter& out) {
  if (!features.pmu_mappings) return false;
  out.put32(static_cast<u32>(features.pmu_mappings->size()));
  for (const PmuType& pmu : *features.pmu_mappings) {
    out.put32(pmu.type);
    put_string(out, pmu.name);
  }
  return true;
}

}  // namespace peregrine::data
