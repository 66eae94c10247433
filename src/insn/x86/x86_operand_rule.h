// Which operands binutils shows, and what it calls the sizes of those in memory.
#pragma once
#include <string_view>

#include "insn/instruction.h"
#include "insn/x86/x86_instruction.h"

namespace peregrine {

bool is_shown(const X86Instruction& x86, const ZydisDecodedOperand& operand, Syntax syntax, const ZydisNames& names);
// d0 and d1: AT&T's syntax does not show the one, Intel's shows it plain.
bool is_shift_by_one(const X86Instruction& x86);
// "QWORD PTR "; empty for a size that has no name.
std::string_view pointer_size(unsigned bits);

}  // namespace peregrine
