#include "insn/disassembler.h"

#include "insn/capstone_disassembler.h"
#include "insn/instruction.h"
#include "insn/x86/zydis_disassembler.h"

namespace peregrine {

Result<std::unique_ptr<Disassembler>> open_disassembler(Isa isa, Syntax syntax, ByteOrder order) {
  if (isa == Isa::X86_64 || isa == Isa::I386) return open_zydis(isa, syntax);
  return open_capstone(isa, order);
}

}  // namespace peregrine
