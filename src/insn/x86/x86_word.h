// The text before the operands as in binutils: prefixes, mnemonic, and AT&T's size suffix.
#pragma once
#include <string>

#include "insn/instruction.h"
#include "insn/x86/x86_instruction.h"

namespace peregrine {

void append_x86_word(const X86Instruction& instruction, Syntax syntax, const ZydisNames& names, std::string& word);

}  // namespace peregrine
