// The Disassembler of all that is not x86: capstone, loaded at first use.
#pragma once
#include "insn/disassembler.h"

namespace peregrine {

Result<std::unique_ptr<Disassembler>> open_capstone(Isa isa, ByteOrder order);

}  // namespace peregrine
