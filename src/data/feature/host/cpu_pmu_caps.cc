#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// CPU_PMU_CAPS: u32 count, each: string name, string value.
bool decode_cpu_pmu_caps(ByteReader& in, Features& features) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (u32 left = get_count(in, 8); left > 0; --left) {
    std::string name = get_string(in);
    std::string value = get_string(in);
    pairs.emplace_back(std::move(name), std::move(value));
  }
  if (in.ok()) features.cpu_pmu_caps = std::move(pairs);
  return in.ok();
}

bool encode_cpu_pmu_caps(const Features& features, ByteWriter& out) {
  if (!features.cpu_pmu_caps) return false;
  out.put32(static_cast<u32>(features.cpu_pmu_caps->size()));
  for (const auto& [name, value] : *features.cpu_pmu_caps) {
    put_string(out, name);
    put_string(out, value);
  }
  return true;
}

}  // namespace peregrine::data
