// compile_cfi(): all call frame information of one binary as a CfiTable.
//
// Sources, the first that covers an address wins: .eh_frame of the file that programs map (found by its section, or by
// PT_GNU_EH_FRAME where sections are stripped), .debug_frame of the same file and of its separate debug file, and what
// the sections of a PLT are known to look like where a linker (lld) wrote no CFI for them.
#pragma once
#include "symbol/cfi/cfi_table.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// `debug` may be null, or `code` itself.
CfiTable compile_cfi(const ElfFile& code, const ElfFile* debug = nullptr);
// Tells apart what a table was compiled from, beyond the build-id: a debug file may come and go, sections be stripped.
u64 cfi_sources(const ElfFile& code, const ElfFile* debug = nullptr);

}  // namespace peregrine
