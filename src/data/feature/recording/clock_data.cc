#include "base/bytes.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// CLOCK_DATA: u32 version 1, u32 clockid, u64 wall clock, u64 time of clockid at the same instant, both in ns.
bool decode_clock_data(ByteReader& in, Features& features) {
  ClockData data;
  data.version = in.get32();
  data.clockid = in.get32();
  data.wall_clock_ns = in.get64();
  data.clock_ns = in.get64();
  if (!in.ok() || data.version != 1) return false;
  features.clock_data = data;
  return true;
}

bool encode_clock_data(const Features& features, ByteWriter& out) {
  if (!features.clock_data) return false;
  const ClockData& data = *features.clock_data;
  out.put32(data.version).put32(data.clockid).put64(data.wall_clock_ns).put64(data.clock_ns);
  return true;
}

}  // namespace peregrine::data
