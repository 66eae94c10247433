// The unwind tables of a dump combined into one .eh_frame, with addresses of the dump's image.
//
// Each function was dumped with its own tables, whose pointers assume that they follow the code at the next 8-byte
// boundary. Combining moves the tables, so each pointer to code is adjusted by the same distance.
#pragma once
#include <cstddef>
#include <vector>

#include "base/types.h"
#include "symbol/jit/jitdump.h"

namespace peregrine {

// The section's contents for load address `address`. Omits functions with tables that are not in the only format
// compilers dump (32-bit, pc-relative 4-byte pointers).
std::vector<std::byte> jit_frame_tables(const JitDump& dump, u64 address);

}  // namespace peregrine
