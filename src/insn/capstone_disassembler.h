// The Disassembler for everything except x86: capstone, loaded on first use.
#pragma once
#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"

namespace peregrine {

Result<std::unique_ptr<Disassembler>> open_capstone(Isa isa, ByteOrder order);

}  // namespace peregrine
