// Vector comparisons whose last operand names what is compared: binutils puts it into the word ("cmpltsd",
// "vpcmpequb").
#pragma once
#include <string>

#include "insn/x86/x86_instruction.h"

namespace peregrine {

// Whether the immediate of this instruction is told by its word.
bool has_predicate_word(const X86Instruction& instruction, const ZydisNames& names);
// False, and nothing appended, when it is no such instruction.
bool append_predicate_word(const X86Instruction& instruction, const ZydisNames& names, std::string& word);

}  // namespace peregrine
