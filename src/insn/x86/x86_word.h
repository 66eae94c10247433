// The word before the operands, as binutils spells it: prefixes, mnemonic, and AT&T's suffix of size.
#pragma once
#include <string>

#include "insn/instruction.h"
#include "insn/x86/x86_instruction.h"

namespace peregrine {

void append_x86_word(const X86Instruction& instruction, Syntax syntax, const ZydisNames& names, std::string& word);

}  // namespace peregrine
