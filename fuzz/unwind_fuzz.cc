// One sample's registers and stack with arbitrary rules. Input: instruction set, length of .eh_frame, .eh_frame,
// registers, stack.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "abi/arch/registers.h"
#include "base/bytes.h"
#include "base/types.h"
#include "input.h"
#include "symbol/cfi/cfi_program.h"
#include "symbol/cfi/cfi_section.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/cfi/cfi_table_builder.h"
#include "unwind/code_lookup.h"
#include "unwind/unwind_arch.h"
#include "unwind/unwinder.h"

namespace peregrine {
namespace {

class AnyCode : public CodeLookup {
 public:
  AnyCode(CfiTable table, Bytes memory) : table_(std::move(table)), memory_(memory) {}

  CodeAt at(u64 pc, PcKind kind) override {
    CodeAt code;
    code.table = &table_;
    code.rules = table_.find(kind == PcKind::Return ? pc - 1 : pc);
    code.executable = (pc & 1) == 0;
    code.trampoline = (pc & 0xff) == 0x42;
    return code;
  }
  u64 bias(u64) override { return 0; }
  bool read(u64 address, std::span<std::byte> out) override {
    if (address > memory_.size() || out.size() > memory_.size() - address) return false;
    std::ranges::copy(memory_.subspan(address, out.size()), out.begin());
    return true;
  }

 private:
  CfiTable table_;
  Bytes memory_;
};

CfiTable compile(Bytes section_bytes) {
  CfiSource source;
  source.bytes = section_bytes;
  source.bases.section = 0x400000;
  CfiTableBuilder builder(ByteOrder::Little);
  CfiProgram program(source, builder);
  CfiSection(source).each([&](const CfiCie& cie, const CfiFde& fde) { program.run(cie, fde); });
  return builder.build();
}

}  // namespace

void fuzz_unwind(Bytes bytes) {
  ByteReader reader(bytes, ByteOrder::Little);
  const u8 machine = reader.get8();
  const Bytes section = reader.take(std::min<std::size_t>(reader.get16(), reader.left()));
  std::array<u64, 33> values;
  std::ranges::generate(values, [&] { return reader.get64(); });
  const UnwindArch* arch = unwind_arch((machine & 1) != 0 ? abi::Arch::Arm64 : abi::Arch::X86, 2 - (machine >> 1 & 1));
  UnwindInput input;
  if (arch == nullptr ||
      !make_unwind_input(*arch, 0x1ffffffff, values, reader.rest(), (machine & 4) != 0, ByteOrder::Little, input)) {
    return;
  }
  AnyCode code(compile(section), bytes);
  std::vector<u64> frames;
  if (Unwinder(code).unwind(input, UnwindLimits{}, frames) == UnwindStop::DepthLimit && frames.size() != 127) {
    __builtin_trap();
  }
}

}  // namespace peregrine
