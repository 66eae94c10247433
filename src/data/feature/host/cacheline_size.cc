#include "data/feature/codec.h"

namespace peregrine::data {

// CLN_SIZE: u32 bytes.
bool decode_cacheline_size(ByteReader& in, Features& features) {
  const u32 size = in.get32();
  if (in.ok()) features.cacheline_size = size;
  return in.ok();
}

bool encode_cacheline_size(const Features& features, ByteWriter& out) {
  if (!features.cacheline_size) return false;
  out.put32(*features.cacheline_size);
  return true;
}

}  // namespace peregrine::data
