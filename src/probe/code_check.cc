#include "probe/code_check.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "probe/definition/trace_probe.h"
#include "symbol/elf/elf_aliases.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

Result<> check_instruction_start(const TraceProbe& probe, ProbeProgram& program) {
  constexpr u64 kMostCode = 1 << 20;
  const ElfFile& file = program.file();
  const Isa isa = isa_of_elf(file.machine(), file.is_64());
  const auto symbol = program.symbols().find(probe.offset);
  // ARM code may be ARM or Thumb and contains data, so it cannot be decoded linearly.
  if (!symbol || isa == Isa::Arm || isa == Isa::Thumb || isa == Isa::Unknown) return {};
  if (probe.offset == symbol->start || probe.offset - symbol->start > kMostCode) return {};
  constexpr u64 kLongest = 16;
  const u64 past = std::min(probe.offset + kLongest, file.file_size());
  const auto code = past <= symbol->start ? Result<std::vector<std::byte>>(std::vector<std::byte>())
                                          : file.read(symbol->start, past - symbol->start);
  auto disassembler = open_disassembler(isa, Syntax::Att, file.order());
  if (!code || !disassembler) return {};
  Instruction instruction;
  u64 at = symbol->start;
  while (at < probe.offset) {
    if (!(*disassembler)->decode(std::span(*code).subspan(at - symbol->start), at, instruction)) return {};
    if (!instruction.valid || instruction.size == 0) return {};  // data: decoding cannot go on
    if (at + instruction.size > probe.offset) break;
    at += instruction.size;
  }
  if (at >= probe.offset) return {};
  const auto place = [&](u64 offset) {
    return offset == symbol->start ? symbol->name : fmt::format("{}+{}", symbol->name, offset - symbol->start);
  };
  return std::unexpected(
      Error{ErrorKind::Usage,
            fmt::format(
                "{} is inside an instruction: '{}' starts at {} and has {} bytes", place(probe.offset),
                instruction.operands.empty() ? instruction.mnemonic : instruction.mnemonic + ' ' + instruction.operands,
                place(at), instruction.size),
            fmt::format("a breakpoint there would change what the program does; use {} or {}", place(at),
                        place(at + instruction.size))});
}

bool may_unwind(const ElfFile& file) {
  constexpr std::string_view kRuntime[] = {"__gxx_personality_v0", "__cxa_throw", "_Unwind_Resume",
                                           "_Unwind_RaiseException"};
  return std::ranges::any_of(kRuntime, [&](std::string_view name) { return mentions_symbol(file, name); });
}

}  // namespace peregrine
