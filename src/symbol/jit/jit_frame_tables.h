// The unwind tables of a dump as one .eh_frame, in the addresses of the dump's image.
//
// Each function was dumped with tables of its own, whose pointers count on lying eight-byte aligned behind its code.
// Put behind one another they are moved away from it, so each pointer to code is moved back by as much.
#pragma once
#include "symbol/jit/jitdump.h"

namespace peregrine {

// The section's contents when it lies at `address`. Functions whose tables are not of the one form that compilers dump
// (32-bit, pointers relative to their own place, 4 bytes) are left out.
std::vector<std::byte> jit_frame_tables(const JitDump& dump, u64 address);

}  // namespace peregrine
