#include "symbol/compression/section_contents.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {
namespace {

// Debug information compresses about 3 to 1. A much higher claimed ratio is an attempt to exhaust memory.
constexpr u64 kMostRatio = 64, kAlwaysTaken = u64{16} << 20;
constexpr u64 kMostUnpackedSection = u64{4} << 30;
constexpr u32 kMethodZlib = 1, kMethodZstd = 2;  // ELFCOMPRESS_*; elf.h of Debian 12 lacks the second

}  // namespace

Result<std::optional<CompressedSection>> compression_of(const ElfFile& file, const ElfSection& section) {
  const bool flagged = (section.flags & SHF_COMPRESSED) != 0;
  const bool old_name = section.name.starts_with(".zdebug_");
  if (!flagged && !old_name) return std::nullopt;
  CompressedSection how;
  how.header_size = flagged ? (file.is_64() ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr)) : 12;
  auto header = file.read(section.offset, how.header_size);
  if (!header) return std::unexpected(std::move(header.error()));
  if (flagged) {
    ByteReader reader(*header, file.order());
    const u32 method = reader.get32();
    if (method != kMethodZlib && method != kMethodZstd)
      return fail(ErrorKind::Unsupported, "{}: section {} uses unknown compression method {}", file.name(),
                  section.name, method);
    how.packing = method == kMethodZlib ? Packing::Zlib : Packing::Zstd;
    if (file.is_64()) reader.skip(4);
    how.size = file.is_64() ? reader.get64() : reader.get32();
  } else {  // "ZLIB", then the big-endian size
    ByteReader reader(*header, ByteOrder::Big);
    if (reader.text(4) != "ZLIB") return std::nullopt;
    how.size = reader.get64();
  }
  if (how.size > kMostUnpackedSection || (how.size > kAlwaysTaken && how.size / kMostRatio > section.size))
    return fail(ErrorKind::Malformed, "{}: section {} claims to decompress to {} bytes", file.name(), section.name,
                how.size);
  return how;
}

Result<std::vector<std::byte>> section_contents(const ElfFile& file, const ElfSection& section) {
  const auto how = compression_of(file, section);
  if (!how) return std::unexpected(how.error());
  auto bytes = file.contents(section);
  if (!bytes || !*how) return bytes;
  const u64 header = std::min<u64>((*how)->header_size, bytes->size());
  return unpack_to_size((*how)->packing, Bytes(*bytes).subspan(header), file.name() + ": " + section.name,
                        (*how)->size);
}

}  // namespace peregrine
