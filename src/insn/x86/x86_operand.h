// Formats the operands of an x86 instruction like binutils, in either syntax.
#pragma once
#include "insn/instruction.h"
#include "insn/x86/x86_instruction.h"

namespace peregrine {

// Sets `operands`, and `target` and `data` if the instruction has them.
void write_x86_operands(const X86Instruction& instruction, Syntax syntax, const ZydisNames& names, Instruction& text);

}  // namespace peregrine
