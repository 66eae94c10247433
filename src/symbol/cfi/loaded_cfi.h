// LoadedCfi: the bytes of an ELF file's call frame information, with what is needed to walk them.
#pragma once
#include <optional>
#include <vector>

#include "symbol/cfi/cfi_section.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

struct LoadedCfi {
  std::vector<std::byte> bytes;
  CfiSource source;  // of `bytes`
};

// .eh_frame, found by its section, or by PT_GNU_EH_FRAME where sections are stripped. Nothing where there is none.
std::optional<LoadedCfi> load_eh_frame(const ElfFile& file);
// .debug_frame, perhaps compressed.
std::optional<LoadedCfi> load_debug_frame(const ElfFile& file);

}  // namespace peregrine
