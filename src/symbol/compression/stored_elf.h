// Opens an ELF file that may be plain, compressed (.ko.xz, .ko.zst, .ko.gz), or a member of a zip archive
// (base.apk!/lib/x86_64/libgame.so). Also opens the mini symbol table that distributions embed in stripped files.
#pragma once
#include <optional>
#include <string>

#include "base/file/read_failures.h"
#include "base/result.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// Errors: those of ElfFile::open; Malformed if it cannot be decompressed. Opens only regular files, since a path from a
// recording may name a device whose open has side effects.
Result<ElfFile> open_stored_elf(const std::string& path, ReadFailures* failures = nullptr);

// MiniDebugInfo: the xz-compressed ELF file with .symtab inside .gnu_debugdata. Nothing if absent or unreadable. It has
// no build-id: trust it as much as the file that contains it.
std::optional<ElfFile> open_mini_debug(const ElfFile& file);

}  // namespace peregrine
