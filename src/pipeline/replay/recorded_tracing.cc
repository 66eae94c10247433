#include "pipeline/replay/recorded_tracing.h"

#include <utility>

#include "base/types.h"
#include "data/feature/feature_rows.h"

namespace peregrine {

std::vector<std::byte> recorded_tracing_data(const data::Reader& reader) {
  if (const auto& sent = reader.header().features.tracing_data) return *sent;
  auto section = reader.read_feature(static_cast<u32>(data::FeatureId::TracingData));
  return section ? std::move(*section) : std::vector<std::byte>();
}

}  // namespace peregrine
