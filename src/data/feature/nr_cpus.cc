#include "data/feature/codec.h"

namespace peregrine::data {

// NRCPUS: u32 available, u32 online.
bool decode_nr_cpus(ByteReader& in, Features& features) {
  CpuCount count;
  count.available = in.get32();
  count.online = in.get32();
  if (in.ok()) features.cpus = count;
  return in.ok();
}

bool encode_nr_cpus(const Features& features, ByteWriter& out) {
  if (!features.cpus) return false;
  out.put32(features.cpus->available).put32(features.cpus->online);
  return true;
}

}  // namespace peregrine::data
