#include "data/feature/bpf/bpf_code.h"

#include <cstddef>

#include "base/types.h"

namespace peregrine::data {

// Offsets of jited_prog_len and jited_prog_insns in struct bpf_prog_info (include/uapi/linux/bpf.h). The latter is an
// offset into the arrays after the struct.
Bytes bpf_program_code(const BpfProgram& program, ByteOrder order) {
  constexpr std::size_t kSize = 16, kPlace = 24, kEnd = 32;
  const Bytes info = Bytes(program.bytes).first(program.info_length);
  const Bytes arrays = Bytes(program.bytes).subspan(program.info_length);
  if (info.size() < kEnd) return {};
  const u32 size = load<u32>(info.data() + kSize, order);
  const u64 place = load<u64>(info.data() + kPlace, order);
  if (place > arrays.size() || size > arrays.size() - place) return {};
  return arrays.subspan(static_cast<std::size_t>(place), size);
}

}  // namespace peregrine::data
