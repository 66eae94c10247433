#include "data/feature/codec.h"

namespace peregrine::data {

// DIR_FORMAT: u64 version of the directory layout.
bool decode_dir_format(ByteReader& in, Features& features) {
  const u64 value = in.get64();
  if (in.ok()) features.dir_version = value;
  return in.ok();
}

bool encode_dir_format(const Features& features, ByteWriter& out) {
  if (!features.dir_version) return false;
  out.put64(*features.dir_version);
  return true;
}

}  // namespace peregrine::data
