// compile_cfi(): compiles all call frame information of one binary into a CfiTable.
//
// Sources in order of precedence per address: .eh_frame of the mapped file (found by its section, or by PT_GNU_EH_FRAME
// if sections are stripped); .debug_frame of the same file and of its separate debug file; the known layout of PLT
// sections for linkers that write no CFI for them (lld).
#pragma once
#include "base/types.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// `debug` may be null, or `code` itself.
CfiTable compile_cfi(const ElfFile& code, const ElfFile* debug = nullptr);
// Identifies a table's sources beyond the build-id, since debug files come and go and sections get stripped.
u64 cfi_sources(const ElfFile& code, const ElfFile* debug = nullptr);

}  // namespace peregrine
