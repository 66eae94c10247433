// relocate(): applies the relocations of debug information in unlinked files, i.e. kernel modules.
//
// Their DWARF holds zeros for addresses and offsets into other sections; .rela.debug_* (or .rel.*) supply them. A
// symbol's address is its section's (see ElfFile::place_as_module()), or zero for debug sections. Code that is not
// placed gets the invalid address ~0. Supports the relocation types of the ELF psABIs that compilers use in debug
// information; others leave the bytes unchanged.
#pragma once
#include <cstddef>
#include <span>

#include "symbol/elf/elf_file.h"

namespace peregrine {

// Whether the file has relocations for that section.
bool is_relocated(const ElfFile& file, const ElfSection& section);

// `bytes`: the decompressed contents of that section. Relocations out of bounds or without a symbol are skipped.
void relocate(const ElfFile& file, const ElfSection& section, std::span<std::byte> bytes);

}  // namespace peregrine
