// Where the functions of an ELF file begin and end, by its unwind tables, which strip(1) leaves in place.
#pragma once
#include <vector>

#include "symbol/elf/elf_file.h"
#include "symbol/table/function_extent.h"

namespace peregrine {

// Sorted, without overlaps. From .eh_frame: empty for files that have none, such as Go programs, and for relocatable
// ones. A part of a function that the compiler moved away (`.cold`) is a function here.
std::vector<FunctionExtent> function_extents(const ElfFile& file);

}  // namespace peregrine
