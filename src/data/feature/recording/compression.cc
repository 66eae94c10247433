#include "base/bytes.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// COMPRESSED: u32 version, type, level, ratio, ring size.
bool decode_compression(ByteReader& in, Features& features) {
  CompressionParameters parameters;
  parameters.version = in.get32();
  parameters.type = in.get32();
  parameters.level = in.get32();
  parameters.ratio = in.get32();
  parameters.mmap_length = in.get32();
  if (in.ok()) features.compression = parameters;
  return in.ok();
}

bool encode_compression(const Features& features, ByteWriter& out) {
  if (!features.compression) return false;
  const CompressionParameters& p = *features.compression;
  out.put32(p.version).put32(p.type).put32(p.level).put32(p.ratio).put32(p.mmap_length);
  return true;
}

}  // namespace peregrine::data
