#include "abi/bpf_output/opened_file.h"

namespace peregrine::abi {

void encode_opened_file(const OpenedFile& file, ByteWriter& out) {
  out.put32(static_cast<u32>(file.descriptor)).put32(file.device).put64(file.inode).append(file.path).zeros(1);
}

std::optional<OpenedFile> decode_opened_file(Bytes raw, ByteOrder order) {
  ByteReader reader(raw, order);
  OpenedFile file;
  file.descriptor = static_cast<i32>(reader.get32());
  file.device = reader.get32();
  file.inode = reader.get64();
  file.path = reader.terminated_text();
  return reader.ok() ? std::optional(file) : std::nullopt;
}

}  // namespace peregrine::abi
