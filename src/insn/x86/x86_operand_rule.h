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
// The size of a memory operand if Intel syntax names it, otherwise 0.
unsigned named_size(const X86Instruction& x86, const ZydisDecodedOperand& operand);
// Whether the result is half as wide as the source, so that it does not imply the size of the memory operand.
bool narrows_vector(const X86Instruction& x86);
// Whether %xmm0 is an implicit operand.
bool has_implied_xmm0(ZydisMnemonic mnemonic);
// "{rn-sae}" or "{sae}"; empty if the instruction rounds as usual.
std::string_view rounding_word(const X86Instruction& x86);
// How often a memory operand is broadcast; 0 if it is not.
unsigned broadcast_count(const X86Instruction& x86);
// The registers of monitor and mwait, which only AT&T syntax shows; empty for other instructions.
std::string_view monitor_registers(const X86Instruction& x86);

}  // namespace peregrine
