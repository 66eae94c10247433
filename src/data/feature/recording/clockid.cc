#include "data/feature/codec.h"

namespace peregrine::data {

// CLOCKID: u64 resolution of the clock in ns.
bool decode_clockid(ByteReader& in, Features& features) {
  const u64 value = in.get64();
  if (in.ok()) features.clock_resolution_ns = value;
  return in.ok();
}

bool encode_clockid(const Features& features, ByteWriter& out) {
  if (!features.clock_resolution_ns) return false;
  out.put64(*features.clock_resolution_ns);
  return true;
}

}  // namespace peregrine::data
