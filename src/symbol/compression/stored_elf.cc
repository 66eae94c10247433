#include "symbol/compression/stored_elf.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <expected>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/content_kind.h"
#include "base/file/read_failures.h"
#include "base/process_root.h"
#include "base/result.h"
#include "symbol/compression/unpack.h"
#include "symbol/compression/zip_file.h"

namespace peregrine {
namespace {

constexpr std::string_view kInside = "!/";
constexpr std::size_t kMostUnpackedElf = std::size_t{1} << 30;

// Real binaries shrink to a third and tables of zeros to much less; a higher ratio is an attack.
std::size_t unpacked_limit(std::size_t packed) {
  return packed > kMostUnpackedElf / 64 ? kMostUnpackedElf : packed * 64 + (std::size_t{16} << 20);
}

Result<ElfFile> open_member(const std::string& path, std::size_t inside) {
  auto zip = ZipFile::open(path.substr(0, inside));
  if (!zip) return std::unexpected(std::move(zip.error()));
  const ZipMember* member = zip->find(std::string_view(path).substr(inside + kInside.size()));
  if (member == nullptr) return fail(ErrorKind::NotFound, "{}: no such member", path);
  auto image = zip->read(*member);
  if (!image) return std::unexpected(std::move(image.error()));
  return ElfFile::from_bytes(std::move(*image), path);
}

Result<ElfFile> open_stored(const std::string& path, ReadFailures* failures) {
  const auto status = stat_file(path);
  if (!status) {
    const std::size_t inside = path.find(kInside);
    return inside == std::string::npos ? Result<ElfFile>(std::unexpected(status.error())) : open_member(path, inside);
  }
  if (!S_ISREG(status->st_mode)) return fail(ErrorKind::Unsupported, "{}: not a regular file", path);
  auto fd = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return std::unexpected(std::move(fd.error()));
  std::array<std::byte, kPackedBytes> start{};
  auto count = pread_full(fd->get(), start.data(), start.size(), 0);
  if (!count) return std::unexpected(std::move(count.error()));
  if (packing_of(Bytes(start).first(*count)) == Packing::None) return ElfFile::from_fd(std::move(*fd), path, failures);
  auto packed = read_all(fd->get(), path, kMostUnpackedElf);
  if (!packed) return std::unexpected(std::move(packed.error()));
  auto image = unpack(std::as_bytes(std::span(*packed)), path, unpacked_limit(packed->size()));
  if (!image) return std::unexpected(std::move(image.error()));
  return ElfFile::from_bytes(std::move(*image), path);
}

}  // namespace

Result<ElfFile> open_stored_elf(const std::string& path, ReadFailures* failures) {
  auto file = open_stored(path, failures);
  if (!file) note_failure(failures, path, file.error());
  return file;
}

std::optional<ElfFile> open_mini_debug(const ElfFile& file) {
  const ElfSection* section = file.find_section(".gnu_debugdata");
  if (section == nullptr) return std::nullopt;
  auto packed = file.contents(*section);
  if (!packed || packing_of(*packed) == Packing::None) return std::nullopt;
  auto image = unpack(*packed, file.name(), unpacked_limit(packed->size()));
  if (!image) return std::nullopt;
  auto inner = ElfFile::from_bytes(std::move(*image), file.name());
  if (!inner || !inner->has_symtab()) return std::nullopt;
  return std::move(*inner);
}

}  // namespace peregrine
