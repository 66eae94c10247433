// Vector comparisons with a predicate in the last operand: binutils puts it into the mnemonic ("cmpltsd",
// "vpcmpequb").
#pragma once
#include <string>

#include "insn/x86/x86_instruction.h"

namespace peregrine {

// Whether the mnemonic contains this instruction's immediate.
bool has_predicate_word(const X86Instruction& instruction, const ZydisNames& names);
// Returns false, appending nothing, for other instructions.
bool append_predicate_word(const X86Instruction& instruction, const ZydisNames& names, std::string& word);

}  // namespace peregrine
