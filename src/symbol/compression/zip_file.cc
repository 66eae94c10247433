#include "symbol/compression/zip_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/compression/unpack.h"

namespace peregrine {
namespace {

constexpr u32 kLocalMark = 0x04034b50, kDirectoryMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr u64 kLocalSize = 30, kDirectorySize = 46, kEndSize = 22, kMostComment = 65535;
constexpr u64 kMostDirectory = u64{64} << 20, kMostMember = u64{1} << 30;
constexpr u16 kStored = 0, kDeflated = 8, kEncrypted = 1;

}  // namespace

Result<std::vector<std::byte>> ZipFile::bytes(u64 offset, u64 size) const {
  if (offset > file_size_ || size > file_size_ - offset)
    return fail(ErrorKind::Malformed, "{}: zip entry extends past the end of the file", name_);
  std::vector<std::byte> out(size);
  auto count = pread_full(fd_.get(), out.data(), out.size(), offset);
  if (!count) return std::unexpected(std::move(count.error()));
  if (*count != size) return fail(ErrorKind::Malformed, "{}: shrank while it was read", name_);
  return out;
}

Result<ZipFile> ZipFile::open(const std::string& path) {
  auto fd = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return std::unexpected(std::move(fd.error()));
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(path);
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::Unsupported, "{}: not a regular file", path);
  ZipFile file(std::move(*fd), path);
  file.file_size_ = static_cast<u64>(status.st_size);
  const u64 tail_size = std::min(file.file_size_, kEndSize + kMostComment);
  auto tail = file.bytes(file.file_size_ - tail_size, tail_size);
  if (!tail) return std::unexpected(std::move(tail.error()));
  for (u64 at = tail_size; at-- > 0;) {  // search backwards for the end record: a comment may follow it
    if (at + kEndSize > tail_size || load<u32>(tail->data() + at, ByteOrder::Little) != kEndMark) continue;
    ByteReader end(Bytes(*tail).subspan(at, kEndSize), ByteOrder::Little);
    end.skip(4 + 2 + 2 + 2);
    const u64 count = end.get16();
    const u64 size = end.get32();
    const u64 offset = end.get32();
    PEREGRINE_TRY(file.read_directory(offset, size, count));
    return file;
  }
  return fail(ErrorKind::Malformed, "{}: not a zip file", path);
}

Result<> ZipFile::read_directory(u64 offset, u64 size, u64 count) {
  if (size > kMostDirectory) return fail(ErrorKind::Unsupported, "{}: zip directory is too large", name_);
  auto directory = bytes(offset, size);
  if (!directory) return std::unexpected(std::move(directory.error()));
  Bytes left(*directory);
  for (u64 i = 0; i < count; ++i) {
    if (left.size() < kDirectorySize || load<u32>(left.data(), ByteOrder::Little) != kDirectoryMark)
      return fail(ErrorKind::Malformed, "{}: damaged zip directory", name_);
    ByteReader reader(left, ByteOrder::Little);
    ZipMember member;
    reader.skip(8);
    member.flags = reader.get16();
    member.method = reader.get16();
    reader.skip(8);
    member.packed_size = reader.get32();
    member.size = reader.get32();
    const u64 name_size = reader.get16();
    const u64 extra_size = reader.get16();
    const u64 comment_size = reader.get16();
    reader.skip(8);
    member.header_offset = reader.get32();
    const u64 entry_size = kDirectorySize + name_size + extra_size + comment_size;
    if (entry_size > left.size()) return fail(ErrorKind::Malformed, "{}: truncated zip directory", name_);
    member.name.assign(reinterpret_cast<const char*>(left.data() + kDirectorySize), name_size);
    members_.push_back(std::move(member));
    left = left.subspan(entry_size);
  }
  return {};
}

const ZipMember* ZipFile::find(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &ZipMember::name);
  return found == members_.end() ? nullptr : &*found;
}

Result<std::vector<std::byte>> ZipFile::read(const ZipMember& member) const {
  const std::string what = name_ + "!/" + member.name;
  if ((member.flags & kEncrypted) != 0 || (member.method != kStored && member.method != kDeflated))
    return fail(ErrorKind::Unsupported, "{}: unsupported compression: must be stored or deflated", what);
  if (member.size > kMostMember || member.packed_size > kMostMember)
    return fail(ErrorKind::Unsupported, "{}: too large", what);
  auto header = bytes(member.header_offset, kLocalSize);
  if (!header) return std::unexpected(std::move(header.error()));
  ByteReader reader(*header, ByteOrder::Little);
  if (reader.get32() != kLocalMark) return fail(ErrorKind::Malformed, "{}: no member begins there", what);
  reader.skip(22);
  const u64 name_size = reader.get16();
  const u64 extra_size = reader.get16();
  auto packed = bytes(member.header_offset + kLocalSize + name_size + extra_size, member.packed_size);
  if (!packed || member.method == kStored) return packed;
  // Deflate reaches at most 1032 to 1; reject a larger claim before allocating memory for it.
  if (member.size / 1032 > member.packed_size + 1) return fail(ErrorKind::Malformed, "{}: invalid size", what);
  return unpack_to_size(Packing::Deflate, *packed, what, member.size);
}

}  // namespace peregrine
