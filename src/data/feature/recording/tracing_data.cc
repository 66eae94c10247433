#include "base/bytes.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// TRACING_DATA: a blob; event/tracepoint/tracing_data.h describes its format.
bool decode_tracing_data(ByteReader& in, Features& features) {
  const Bytes bytes = in.rest();
  features.tracing_data.emplace(bytes.begin(), bytes.end());
  return true;
}

bool encode_tracing_data(const Features& features, ByteWriter& out) {
  if (!features.tracing_data) return false;
  out.append(Bytes(*features.tracing_data));
  return true;
}

}  // namespace peregrine::data
