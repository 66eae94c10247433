// Opening an ELF file however it is stored: as it is, compressed (.ko.xz, .ko.zst, .ko.gz), or as the member of a zip
// archive (base.apk!/lib/x86_64/libgame.so). And the small symbol table that distributions hide in stripped files.
#pragma once
#include <optional>
#include <string>

#include "symbol/elf/elf_file.h"

namespace peregrine {

// Errors as ElfFile::open, and Malformed for what cannot be unpacked. A path out of a recording may name a device that
// acts when it is opened: only regular files are.
Result<ElfFile> open_stored_elf(const std::string& path, ReadFailures* failures = nullptr);

// MiniDebugInfo: the ELF file with .symtab inside .gnu_debugdata, packed with xz. Nothing when there is none that can
// be read. It has no build-id of its own: it is as good as the file it came in.
std::optional<ElfFile> open_mini_debug(const ElfFile& file);

}  // namespace peregrine
