#include "data/feature/codec.h"

namespace peregrine::data {

// TOTAL_MEM: u64 kB.
bool decode_total_memory(ByteReader& in, Features& features) {
  const u64 value = in.get64();
  if (in.ok()) features.total_memory_kb = value;
  return in.ok();
}

bool encode_total_memory(const Features& features, ByteWriter& out) {
  if (!features.total_memory_kb) return false;
  out.put64(*features.total_memory_kb);
  return true;
}

}  // namespace peregrine::data
