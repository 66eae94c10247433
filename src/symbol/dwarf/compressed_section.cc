// Debug sections that a linker packed: SHF_COMPRESSED with zlib or zstd, and GNU's older .zdebug_* with zlib.
#include <elf.h>
#include <zlib.h>
#include <zstd.h>

#include "symbol/dwarf/dwarf_section.h"

namespace peregrine {
namespace {

// Debug information packs some 3 to 1. What claims far more is there to fill the memory.
constexpr u64 kMostRatio = 64, kAlwaysTaken = u64{16} << 20;
constexpr u64 kMostUnpacked = u64{4} << 30;
constexpr u32 kMethodZlib = 1, kMethodZstd = 2;  // ELFCOMPRESS_*: elf.h of Debian 12 has the first only

Result<std::vector<std::byte>> unpack_zlib(Bytes packed, u64 size, const std::string& name) {
  std::vector<std::byte> out(size);
  z_stream stream{};
  if (::inflateInit(&stream) != Z_OK) return fail(ErrorKind::System, "{}: zlib does not start", name);
  // zlib's counts have 32 bits.
  constexpr u64 kStep = u64{1} << 30;
  u64 taken = 0, given = 0;
  int state = Z_OK;
  while (state == Z_OK && given < size) {
    const u64 in = std::min(kStep, packed.size() - taken), room = std::min(kStep, size - given);
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + given);
    stream.avail_out = static_cast<uInt>(room);
    state = ::inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    given += room - stream.avail_out;
  }
  ::inflateEnd(&stream);
  if (given != size) return fail(ErrorKind::Malformed, "{}: a compressed section does not unpack", name);
  return out;
}

Result<std::vector<std::byte>> unpack_zstd(Bytes packed, u64 size, const std::string& name) {
  std::vector<std::byte> out(size);
  const std::size_t given = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(given) != 0 || given != size)
    return fail(ErrorKind::Malformed, "{}: a compressed section does not unpack", name);
  return out;
}

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
      return fail(ErrorKind::Unsupported, "{}: section {} is packed by method {}", file.name(), section.name, method);
    how.method = method == kMethodZlib ? CompressedSection::Method::Zlib : CompressedSection::Method::Zstd;
    if (file.is_64()) reader.skip(4);
    how.size = file.is_64() ? reader.get64() : reader.get32();
  } else {  // "ZLIB" and the size, highest byte first
    ByteReader reader(*header, ByteOrder::Big);
    if (reader.text(4) != "ZLIB") return std::nullopt;
    how.size = reader.get64();
  }
  if (how.size > kMostUnpacked || (how.size > kAlwaysTaken && how.size / kMostRatio > section.size))
    return fail(ErrorKind::Malformed, "{}: section {} claims to unpack to {} bytes", file.name(), section.name,
                how.size);
  return how;
}

Result<std::vector<std::byte>> unpack_section(const CompressedSection& how, Bytes packed,
                                              const std::string& file_name) {
  return how.method == CompressedSection::Method::Zlib ? unpack_zlib(packed, how.size, file_name)
                                                       : unpack_zstd(packed, how.size, file_name);
}

}  // namespace peregrine
