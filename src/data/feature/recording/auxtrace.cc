#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// AUXTRACE: u64 count, each: u64 file offset, u64 size of an AUXTRACE record.
bool decode_auxtrace(ByteReader& in, Features& features) {
  std::vector<AuxtraceIndexEntry> index;
  const u64 count = in.get64();
  if (!in.ok() || count > in.left() / 16) return false;
  for (u64 i = 0; i < count; ++i) {
    AuxtraceIndexEntry entry;
    entry.offset = in.get64();
    entry.size = in.get64();
    index.push_back(entry);
  }
  features.auxtrace = std::move(index);
  return true;
}

bool encode_auxtrace(const Features& features, ByteWriter& out) {
  if (!features.auxtrace) return false;
  out.put64(features.auxtrace->size());
  for (const AuxtraceIndexEntry& entry : *features.auxtrace) out.put64(entry.offset).put64(entry.size);
  return true;
}

}  // namespace peregrine::data
