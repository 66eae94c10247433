// Opens debug information in other files: .dwo files and .dwp packages of split DWARF, and the supplements that dwz
// shares between programs.
//
// Their names come from untrusted files: only regular ELF files are opened, and their identity must match.
#pragma once
#include <optional>

#include "base/result.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/source_lines.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// The file named by .gnu_debugaltlink or .debug_sup. NotFound if there is no name, or the file is missing.
Result<ElfFile> open_supplement(const ElfFile& file, const SourceSearch& search);

// FILE.dwp next to the program; nothing if absent.
std::optional<ElfFile> open_package(const ElfFile& file, const SourceSearch& search);
// The .dwo file of a skeleton; nothing if absent.
std::optional<ElfFile> open_split_file(const UnitRoot& skeleton, const SourceSearch& search);

// Opens the split unit of a skeleton; nothing if the file (a .dwo or .dwp) lacks it.
std::optional<DwarfUnit> find_split_unit(const DwarfFile& file, const DwarfUnit& skeleton, const UnitRoot& root);

}  // namespace peregrine
