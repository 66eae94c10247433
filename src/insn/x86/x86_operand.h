// The operands of an x86 instruction, as binutils spells them in either syntax.
#pragma once
#include "insn/instruction.h"
#include "insn/x86/x86_instruction.h"

namespace peregrine {

// Fills `operands`, and `target` and `data` where the instruction has them.
void write_x86_operands(const X86Instruction& instruction, Syntax syntax, const ZydisNames& names, Instruction& text);

}  // namespace peregrine
