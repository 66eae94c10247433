#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// PMU_CAPS: u32 count, each: u32 pairs, (string name, string value) × pairs, string PMU.
bool decode_pmu_caps(ByteReader& in, Features& features) {
  std::vector<PmuCapabilities> pmus;
  for (u32 left = get_count(in, 8); left > 0; --left) {
    PmuCapabilities pmu;
    for (u32 pairs = get_count(in, 8); pairs > 0; --pairs) {
      std::string name = get_string(in);
      std::string value = get_string(in);
      pmu.pairs.emplace_back(std::move(name), std::move(value));
    }
    pmu.pmu = get_string(in);
    pmus.push_back(std::move(pmu));
  }
  if (in.ok()) features.pmu_caps = std::move(pmus);
  return in.ok();
}

bool encode_pmu_caps(const Features& features, ByteWriter& out) {
  if (!features.pmu_caps) return false;
  out.put32(static_cast<u32>(features.pmu_caps->size()));
  for (const PmuCapabilities& pmu : *features.pmu_caps) {
    out.put32(static_cast<u32>(pmu.pairs.size()));
    for (const auto& [name, value] : pmu.pairs) {
      put_string(out, name);
      put_string(out, value);
    }
    put_string(out, pmu.pmu);
  }
  return true;
}

}  // namespace peregrine::data
