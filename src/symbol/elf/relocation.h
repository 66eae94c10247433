// relocate(): debug information as a linker would leave it, of files that no linker has seen: kernel modules.
//
// Their DWARF holds zeroes where addresses and offsets into other sections belong; .rela.debug_* (or .rel.*) say what
// goes there. A symbol's address is that of its section (ElfFile::place_as_module() gives it), those of debug sections
// being zero. Code that is not placed gets the address ~0, which is none. The types are those of the processors' ELF
// supplements that compilers use in debug information; others leave the bytes as they are.
#pragma once
#include <span>

#include "symbol/elf/elf_file.h"

namespace peregrine {

// Whether the file has relocations for that section.
bool is_relocated(const ElfFile& file, const ElfSection& section);

// `bytes`: the contents of that section, unpacked. Relocations that lie outside of them, or name no symbol, are passed
// over.
void relocate(const ElfFile& file, const ElfSection& section, std::span<std::byte> bytes);

}  // namespace peregrine
