// Debug information that lies in other files: .dwo files and .dwp packages of split DWARF, and what dwz moved into one
// file for several programs.
//
// Their names come from untrusted files: only regular ELF files are opened, and taken only with the expected identity.
#pragma once
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/source_lines.h"

namespace peregrine {

// What .gnu_debugaltlink or .debug_sup names. NotFound when the file names none; with_hint() where it is not there.
Result<ElfFile> open_supplement(const ElfFile& file, const SourceSearch& search);

// FILE.dwp beside the program; nothing when there is none.
std::optional<ElfFile> open_package(const ElfFile& file, const SourceSearch& search);
// The .dwo file of one skeleton; nothing when it is not there.
std::optional<ElfFile> open_split_file(const UnitRoot& skeleton, const SourceSearch& search);

// The split unit that belongs to a skeleton, opened; nothing when the file (a .dwo, or a .dwp) does not have it.
std::optional<DwarfUnit> find_split_unit(const DwarfFile& file, const DwarfUnit& skeleton, const UnitRoot& root);

}  // namespace peregrine
