// Function boundaries of an ELF file from its unwind tables, which strip(1) keeps.
#pragma once
#include <vector>

#include "symbol/elf/elf_file.h"
#include "symbol/table/function_extent.h"

namespace peregrine {

// Sorted and disjoint, from .eh_frame. Empty for files without one (Go programs) and for relocatable files. A part that
// the compiler split off (`.cold`) counts as a function.
std::vector<FunctionExtent> function_extents(const ElfFile& file);

}  // namespace peregrine
