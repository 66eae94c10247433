#include "data/feature/codec.h"

namespace peregrine::data {
namespace {

constexpr std::size_t kFixed = 16;

// What of struct bpf_prog_info (include/uapi/linux/bpf.h) names a program and its code: offsets in it.
constexpr std::size_t kId = 4, kName = 64, kNameSize = 16, kKsymCount = 104, kLenCount = 108, kKsyms = 112, kLens = 120;

// Arrays follow the struct; the pointers in it were replaced by offsets into them.
void decode_info(BpfProgram& program, ByteOrder order) {
  const Bytes info = Bytes(program.bytes).first(program.info_length);
  const Bytes data = Bytes(program.bytes).subspan(program.info_length);
  if (info.size() < kId + 4) return;
  program.id = load<u32>(info.data() + kId, order);
  if (info.size() < kLens + 8) return;
  program.name = ByteReader(info.subspan(kName)).text(kNameSize);
  const u32 symbols = load<u32>(info.data() + kKsymCount, order), lengths = load<u32>(info.data() + kLenCount, order);
  const u64 symbols_at = load<u64>(info.data() + kKsyms, order), lengths_at = load<u64>(info.data() + kLens, order);
  if (symbols_at <= data.size() && symbols <= (data.size() - symbols_at) / 8) {
    ByteReader in(data.subspan(static_cast<std::size_t>(symbols_at)), order);
    for (u32 i = 0; i < symbols; ++i) program.addresses.push_back(in.get64());
  }
  if (lengths_at <= data.size() && lengths <= (data.size() - lengths_at) / 4) {
    ByteReader in(data.subspan(static_cast<std::size_t>(lengths_at)), order);
    for (u32 i = 0; i < lengths; ++i) program.sizes.push_back(in.get32());
  }
}

}  // namespace

// BPF_PROG_INFO: u32 count, each: u32 size of the struct, u32 size of the arrays, u64 which arrays, struct, arrays.
bool decode_bpf_programs(ByteReader& in, Features& features) {
  std::vector<BpfProgram> programs;
  for (u32 left = get_count(in, kFixed); left > 0; --left) {
    BpfProgram program;
    program.info_length = in.get32();
    program.data_length = in.get32();
    program.arrays = in.get64();
    const Bytes bytes = in.take(std::size_t{program.info_length} + program.data_length);
    if (!in.ok()) return false;
    program.bytes.assign(bytes.begin(), bytes.end());
    decode_info(program, in.order());
    programs.push_back(std::move(program));
  }
  if (in.ok()) features.bpf_programs = std::move(programs);
  return in.ok();
}

bool encode_bpf_programs(const Features& features, ByteWriter& out) {
  if (!features.bpf_programs) return false;
  out.put32(static_cast<u32>(features.bpf_programs->size()));
  for (const BpfProgram& program : *features.bpf_programs) {
    out.put32(program.info_length).put32(program.data_length).put64(program.arrays);
    out.append(Bytes(program.bytes));
  }
  return true;
}

}  // namespace peregrine::data
