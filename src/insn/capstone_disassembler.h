// The Disassembler for everything except x86: capstone, loaded on first use.
#pragma once
#include "insn/disassembler.h"

namespace peregrine {

Result<std::unique_ptr<Disassembler>> open_capstone(Isa isa, ByteOrder order);

}  // namespace peregrine
