// The Disassembler for x86-64 and i386: decodes with Zydis, prints like binutils in both syntaxes.
#pragma once
#include <memory>

#include "base/result.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"

namespace peregrine {

Result<std::unique_ptr<Disassembler>> open_zydis(Isa isa, Syntax syntax);

}  // namespace peregrine
