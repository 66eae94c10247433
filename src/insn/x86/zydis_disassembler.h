// The Disassembler of x86-64 and i386: Zydis decodes, the text is binutils' in both syntaxes.
#pragma once
#include "insn/disassembler.h"

namespace peregrine {

Result<std::unique_ptr<Disassembler>> open_zydis(Isa isa, Syntax syntax);

}  // namespace peregrine
