#include "pipeline/replay/recorded_formats.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/header/evlist.h"

namespace peregrine {

bool has_formats(const data::Reader& reader) {
  return reader.header().features.tracing_data.has_value() || reader.header().has(data::FeatureId::TracingData);
}

Result<TraceFormats> recorded_formats(const data::Reader& reader) {
  const auto& features = reader.header().features;
  std::vector<std::byte> read;
  Bytes bytes;
  if (features.tracing_data) {
    bytes = *features.tracing_data;
  } else if (auto section = reader.read_feature(static_cast<u32>(data::FeatureId::TracingData))) {
    read = std::move(*section);
    bytes = read;
  } else {
    return TraceFormats();
  }
  auto formats = TraceFormats::decode(bytes);
  if (!formats) return formats;
  for (const data::Event& event : reader.evlist()) {
    if (event.attr.type == static_cast<u32>(abi::EventType::Tracepoint)) formats->prepare(event.attr.config);
  }
  return formats;
}

}  // namespace peregrine
