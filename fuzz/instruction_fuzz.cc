// Machine code of any instruction set in both syntaxes, and possible objdump output: the first byte chooses.
#include <cstddef>

#include "base/bytes.h"
#include "input.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "insn/objdump.h"

void peregrine::fuzz_instruction(Bytes bytes) {
  if (bytes.empty()) return;
  const unsigned choice = std::to_integer<unsigned>(bytes[0]);
  const Bytes code = bytes.subspan(1);
  if (choice == 0xff) {
    parse_objdump(as_text(code), 0x10000);
    return;
  }
  const Isa isa = static_cast<Isa>(choice % (static_cast<unsigned>(Isa::Unknown) + 1));
  const auto disassembler = open_disassembler(isa, (choice & 0x20) != 0 ? Syntax::Intel : Syntax::Att,
                                              (choice & 0x40) != 0 ? ByteOrder::Big : ByteOrder::Little);
  if (!disassembler) return;
  Instruction instruction;
  for (std::size_t at = 0; (*disassembler)->decode(code.subspan(at), 0x1000 + at, instruction);) {
    // No progress would loop, and moving past the end would read invalid memory.
    if (instruction.size == 0 || instruction.size > code.size() - at) __builtin_trap();
    at += instruction.size;
  }
}
