// LoadedCfi: the call frame information of an ELF file in memory, with what is needed to iterate over it.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "symbol/cfi/cfi_section.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

struct LoadedCfi {
  std::vector<std::byte> bytes;
  CfiSource source;  // of `bytes`
};

// .eh_frame, found by its section, or by PT_GNU_EH_FRAME if sections are stripped. Nothing if absent.
std::optional<LoadedCfi> load_eh_frame(const ElfFile& file);
// .debug_frame, decompressed if necessary. Nothing if absent.
std::optional<LoadedCfi> load_debug_frame(const ElfFile& file);

}  // namespace peregrine
