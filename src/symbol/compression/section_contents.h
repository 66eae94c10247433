// section_contents(): the contents of an ELF section, decompressed if necessary.
//
// Supports SHF_COMPRESSED with zlib or zstd, and GNU's older .zdebug_* with zlib. The file is untrusted: a section that
// claims an impossible size, or does not decompress to the size it claims, is Malformed.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "symbol/compression/unpack.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

struct CompressedSection {
  Packing packing = Packing::Zlib;
  u64 size = 0;         // unpacked
  u64 header_size = 0;  // bytes before the compressed data
};
// Nothing for a section that is not compressed.
Result<std::optional<CompressedSection>> compression_of(const ElfFile& file, const ElfSection& section);

Result<std::vector<std::byte>> section_contents(const ElfFile& file, const ElfSection& section);

}  // namespace peregrine
