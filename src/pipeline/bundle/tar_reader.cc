#include "pipeline/bundle/tar_reader.h"

#include <fcntl.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/types.h"
#include "pipeline/bundle/tar_format.h"

namespace peregrine {
namespace {

constexpr std::size_t kReadPiece = std::size_t{1} << 18;
constexpr u64 kMostText = u64{1} << 16;  // limit for a long name, and for a member's pax records
constexpr std::size_t kMostPath = 4095;  // PATH_MAX without the terminator

// Parses octal text or, for large files, base 256 after a set top bit.
std::optional<u64> number(Bytes field) {
  const auto first = static_cast<u8>(field[0]);
  if ((first & 0x80) != 0) {
    if (first != 0x80) return std::nullopt;
    u64 value = 0;
    for (const std::byte byte : field.subspan(1)) {
      if (value >> 56 != 0) return std::nullopt;
      value = value << 8 | static_cast<u8>(byte);
    }
    return value;
  }
  u64 value = 0;
  for (const std::byte byte : field) {
    const char c = static_cast<char>(byte);
    if (c == '\0' || c == ' ') {
      if (value == 0) continue;
      break;
    }
    if (c < '0' || c > '7' || value >> 61 != 0) return std::nullopt;
    value = value * 8 + static_cast<u64>(c - '0');
  }
  return value;
}

std::string text(Bytes field) { return std::string(up_to_nul(field)); }

bool has_good_sum(Bytes block) {
  const auto wanted = number(block.subspan(tar::kSumAt, tar::kSumSize));
  return wanted && *wanted == tar::checksum(block);
}

// Finds "path" in pax records, each of which is LENGTH, a blank, KEY=VALUE and a newline.
std::optional<std::string> pax_path(std::string_view records) {
  std::optional<std::string> path;
  while (!records.empty()) {
    std::size_t length = 0, at = 0;
    for (; at < records.size() && records[at] >= '0' && records[at] <= '9' && at < 8; ++at)
      length = length * 10 + static_cast<std::size_t>(records[at] - '0');
    if (at >= records.size() || records[at] != ' ' || length <= at + 1 || length > records.size()) return path;
    if (records[length - 1] != '\n') return path;
    const std::string_view record = records.substr(at + 1, length - at - 2);
    if (record.starts_with("path=")) path = std::string(record.substr(5));
    records.remove_prefix(length);
  }
  return path;
}

}  // namespace

Result<TarReader> TarReader::open(const std::string& path) {
  auto fd = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return std::unexpected(std::move(fd.error()));
  return from_fd(std::move(*fd), path);
}

Result<TarReader> TarReader::from_fd(Fd fd, const std::string& name) {
  auto file = UnpackedFile::from_fd(std::move(fd), name);
  if (!file) return std::unexpected(std::move(file.error()));
  TarReader reader(std::move(*file), name);
  reader.first_.resize(tar::kBlock);
  auto size = reader.file_.read(reader.first_);
  if (!size) return std::unexpected(std::move(size.error()));
  if (*size != tar::kBlock || !has_good_sum(reader.first_))
    return fail(ErrorKind::Malformed, "{}: not a tar archive", name);
  return reader;
}

Result<> TarReader::fill(std::span<std::byte> out) {
  auto size = file_.read(out);
  if (!size) return std::unexpected(std::move(size.error()));
  if (*size != out.size()) return fail(ErrorKind::Malformed, "{}: truncated archive", name_);
  return {};
}

Result<> TarReader::skip_rest() {
  while (left_ > 0) {
    if (auto skipped = read(); !skipped) return std::unexpected(std::move(skipped.error()));
  }
  std::vector<std::byte> padding(std::exchange(padding_, 0));
  return fill(padding);
}

Result<Bytes> TarReader::read() {
  piece_.resize(static_cast<std::size_t>(std::min<u64>(left_, kReadPiece)));
  auto size = file_.read(piece_);
  if (!size) return std::unexpected(std::move(size.error()));
  // Returns the available part of a truncated member first, and the error with the next call.
  if (*size == 0 && !piece_.empty()) return fail(ErrorKind::Malformed, "{}: truncated archive", name_);
  piece_.resize(*size);
  left_ -= piece_.size();
  return Bytes(piece_);
}

Result<std::string> TarReader::read_text(u64 size) {
  if (size > kMostText) return fail(ErrorKind::Malformed, "{}: member name is too long ({} bytes)", name_, size);
  std::string out(static_cast<std::size_t>(size), '\0');
  PEREGRINE_TRY(fill(std::as_writable_bytes(std::span(out))));
  left_ = 0;
  return out;
}

Result<bool> TarReader::read_header(TarMember& member, char& type) {
  std::vector<std::byte> block = std::exchange(first_, {});
  if (block.empty()) {
    block.resize(tar::kBlock);
    auto size = file_.read(block);
    if (!size) return std::unexpected(std::move(size.error()));
    if (*size == 0) return false;  // some writers omit the final zero blocks
    if (*size != block.size()) return fail(ErrorKind::Malformed, "{}: truncated archive", name_);
  }
  if (std::ranges::all_of(block, [](std::byte byte) { return byte == std::byte{0}; })) return false;
  const Bytes bytes(block);
  const auto size = number(bytes.subspan(tar::kSizeAt, tar::kSizeSize));
  if (!has_good_sum(block) || !size) return fail(ErrorKind::Malformed, "{}: damaged header", name_);
  type = static_cast<char>(block[tar::kTypeAt]);
  member.name = text(bytes.first(tar::kNameSize));
  const std::string prefix = text(bytes.subspan(tar::kPrefixAt, tar::kPrefixSize));
  // GNU's format has times where POSIX has the prefix of the name.
  if (!prefix.empty() && std::memcmp(block.data() + tar::kMagicAt, "ustar\0", 6) == 0)
    member.name = prefix + "/" + member.name;
  member.regular = type == '0' || type == '\0' || type == '7';
  const bool has_contents = member.regular || type == 'L' || type == 'K' || type == 'x' || type == 'g';
  member.size = left_ = has_contents ? *size : 0;
  padding_ = (tar::kBlock - left_ % tar::kBlock) % tar::kBlock;
  return true;
}

Result<bool> TarReader::next(TarMember& member) {
  std::optional<std::string> long_name;
  for (;;) {
    PEREGRINE_TRY(skip_rest());
    char type = 0;
    auto more = read_header(member, type);
    if (!more || !*more) return more;
    if (type == 'L' || type == 'x') {
      auto contents = read_text(left_);
      if (!contents) return std::unexpected(std::move(contents.error()));
      if (type == 'L')
        long_name = contents->substr(0, contents->find('\0'));
      else if (auto path = pax_path(*contents))
        long_name = std::move(path);
    } else if (type != 'K' && type != 'g') {
      if (long_name) member.name = std::move(*long_name);
      if (member.name.size() > kMostPath)
        return fail(ErrorKind::Malformed, "{}: member name is too long ({} bytes)", name_, member.name.size());
      return true;
    }
  }
}

bool is_tar(int fd, const std::string& name) {
  Fd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  return copy && TarReader::from_fd(std::move(copy), name).has_value();
}

}  // namespace peregrine
