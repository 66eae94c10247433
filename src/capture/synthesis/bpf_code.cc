#include "capture/synthesis/bpf_code.h"

#include <linux/bpf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "base/fd.h"
#include "capture/synthesis/bpf_program.h"

namespace peregrine {
namespace {

// Upper limit for one program's arrays; programs with larger ones are skipped.
constexpr u64 kMostArrayBytes = u64{16} << 20;

// An array that the kernel fills: its bit in the recorded mask, its count field, and the size of an element.
struct Array {
  unsigned bit;
  __u32 bpf_prog_info::* count;
  u64 element;
  u64 offset = 0;  // within the recorded arrays
};

// Returns the pointer field for an array.
void* pointer_place(bpf_prog_info& information, unsigned bit) {
  switch (bit) {
    case 0:
      return &information.jited_prog_insns;
    case 3:
      return &information.jited_ksyms;
    case 4:
      return &information.jited_func_lens;
    default:
      return &information.prog_tags;
  }
}

void set_pointer(bpf_prog_info& information, unsigned bit, u64 value) {
  std::memcpy(pointer_place(information, bit), &value, sizeof value);
}

std::optional<LoadedProgram> read_program(u32 id) {
  const Fd fd = open_bpf_program(id);
  bpf_prog_info counts{};
  if (!read_bpf_information(fd, counts)) return std::nullopt;
  Array wanted[] = {{0, &bpf_prog_info::jited_prog_len, 1},
                    {3, &bpf_prog_info::nr_jited_ksyms, sizeof(u64)},
                    {4, &bpf_prog_info::nr_jited_func_lens, sizeof(u32)},
                    {8, &bpf_prog_info::nr_prog_tags, BPF_TAG_SIZE}};
  LoadedProgram program;
  u64 size = 0;
  for (Array& array : wanted) {
    array.offset = size;
    size += (counts.*array.count * array.element + 7) / 8 * 8;
  }
  if (size > kMostArrayBytes || counts.jited_prog_len == 0) return std::nullopt;
  program.arrays.resize(size);
  bpf_prog_info information{};
  for (const Array& array : wanted) {
    information.*array.count = counts.*array.count;
    set_pointer(information, array.bit, reinterpret_cast<u64>(program.arrays.data() + array.offset));
    program.which |= u64{1} << array.bit;
  }
  if (!read_bpf_information(fd, information)) return std::nullopt;
  for (const Array& array : wanted) {
    information.*array.count = std::min(information.*array.count, counts.*array.count);
    set_pointer(information, array.bit, array.offset);
  }
  const auto bytes = std::as_bytes(std::span(&information, 1));
  program.information.assign(bytes.begin(), bytes.end());
  return program;
}

}  // namespace

std::vector<LoadedProgram> read_loaded_programs() {
  std::vector<LoadedProgram> programs;
  for (auto id = next_bpf_program(0); id; id = next_bpf_program(*id)) {
    if (auto program = read_program(*id)) programs.push_back(std::move(*program));
  }
  return programs;
}

}  // namespace peregrine
