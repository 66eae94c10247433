#include <cstddef>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {
namespace {

constexpr std::size_t kFixed = 16;

// Offsets of the fields of struct bpf_prog_info (include/uapi/linux/bpf.h) that name a program and its functions.
constexpr std::size_t kId = 4, kName = 64, kNameSize = 16, kAddressCount = 104, kSizeCount = 108, kAddresses = 112,
                      kSizes = 120, kBtfId = 128, kFunctionWidth = 132, kFunctions = 136, kFunctionCount = 144,
                      kTagCount = 180, kTags = 184, kEnd = 192;

// An array stored after the struct. The recorder replaced the struct's pointers by offsets into these arrays.
struct BpfArray {
  Bytes bytes;
  u32 count = 0;
  std::size_t width = 0;

  BpfArray(Bytes info, Bytes data, std::size_t pointer_at, std::size_t count_at, std::size_t element, ByteOrder order)
      : width(element) {
    const u64 start = load<u64>(info.data() + pointer_at, order);
    const u32 said = load<u32>(info.data() + count_at, order);
    if (element == 0 || start > data.size() || said > (data.size() - start) / element) return;
    count = said;
    bytes = data.subspan(static_cast<std::size_t>(start));
  }
  const std::byte* at(std::size_t i) const { return bytes.data() + i * width; }
};

void decode_info(BpfProgram& program, ByteOrder order) {
  const Bytes info = Bytes(program.bytes).first(program.info_length);
  const Bytes data = Bytes(program.bytes).subspan(program.info_length);
  if (info.size() < kId + 4) return;
  program.id = load<u32>(info.data() + kId, order);
  if (info.size() < kEnd) return;
  program.name = ByteReader(info.subspan(kName)).text(kNameSize);
  program.btf_id = load<u32>(info.data() + kBtfId, order);
  const BpfArray addresses(info, data, kAddresses, kAddressCount, 8, order),
      sizes(info, data, kSizes, kSizeCount, 4, order);
  const BpfArray tags(info, data, kTags, kTagCount, 8, order);
  const u32 width = load<u32>(info.data() + kFunctionWidth, order);
  const BpfArray functions(info, data, kFunctions, kFunctionCount, width < 8 ? 0 : width, order);
  for (u32 i = 0; i < addresses.count; ++i) program.addresses.push_back(load<u64>(addresses.at(i), order));
  for (u32 i = 0; i < sizes.count; ++i) program.sizes.push_back(load<u32>(sizes.at(i), order));
  for (u32 i = 0; i < tags.count; ++i) program.tags.push_back(load<u64>(tags.at(i), ByteOrder::Big));
  for (u32 i = 0; i < functions.count; ++i) program.types.push_back(load<u32>(functions.at(i) + 4, order));
}

}  // namespace

// BPF_PROG_INFO: u32 count, each: u32 struct size, u32 size of the arrays, u64 bit mask of arrays, struct, arrays.
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
