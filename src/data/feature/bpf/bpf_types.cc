#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// BPF_BTF: u32 count, each: u32 id, u32 size, bytes.
bool decode_bpf_types(ByteReader& in, Features& features) {
  std::vector<BpfTypes> all;
  for (u32 left = get_count(in, 8); left > 0; --left) {
    BpfTypes types;
    types.id = in.get32();
    const Bytes bytes = in.take(in.get32());
    types.bytes.assign(bytes.begin(), bytes.end());
    all.push_back(std::move(types));
  }
  if (in.ok()) features.bpf_types = std::move(all);
  return in.ok();
}

bool encode_bpf_types(const Features& features, ByteWriter& out) {
  if (!features.bpf_types) return false;
  out.put32(static_cast<u32>(features.bpf_types->size()));
  for (const BpfTypes& types : *features.bpf_types) {
    out.put32(types.id).put32(static_cast<u32>(types.bytes.size())).append(Bytes(types.bytes));
  }
  return true;
}

}  // namespace peregrine::data
