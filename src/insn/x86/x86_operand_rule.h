// Which operands binutils shows, and its names for the sizes of memory operands.
#pragma once
#include <string_view>

#include "insn/instruction.h"
#include "insn/x86/x86_instruction.h"

namespace peregrine {

bool is_shown(const X86Instruction& x86, const ZydisDecodedOperand& operand, Syntax syntax, const ZydisNames& names);
// d0 and d1: AT&T syntax omits the operand, Intel syntax shows it.
bool is_shift_by_one(const X86Instruction& x86);
// "QWORD PTR "; empty for sizes without a name.
std::string_view pointer_size(unsigned bits);

}  // namespace peregrine
