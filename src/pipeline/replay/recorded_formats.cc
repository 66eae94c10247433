#include "pipeline/replay/recorded_formats.h"

#include <cstddef>
#include <vector>

#include "abi/attr.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/header/evlist.h"
#include "pipeline/replay/recorded_tracing.h"

namespace peregrine {

bool has_formats(const data::Reader& reader) {
  return reader.header().features.tracing_data.has_value() || reader.header().has(data::FeatureId::TracingData);
}

Result<TraceFormats> recorded_formats(const data::Reader& reader) {
  const std::vector<std::byte> bytes = recorded_tracing_data(reader);
  if (bytes.empty()) return TraceFormats();
  auto formats = TraceFormats::decode(bytes);
  if (!formats) return formats;
  for (const data::Event& event : reader.evlist()) {
    if (event.attr.type == static_cast<u32>(abi::EventType::Tracepoint)) formats->prepare(event.attr.config);
  }
  return formats;
}

}  // namespace peregrine
