#include "symbol/dwarf/dwarf_section.h"

#include <elf.h>
#include <string.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/compression/section_contents.h"
#include "symbol/elf/relocation.h"

namespace peregrine {
namespace {

constexpr u64 kLongestText = u64{64} << 10;

}  // namespace

SectionStorage::SectionStorage(const ElfFile& file, const ElfSection& section) : file_(file), section_(section) {
  if (section.type == SHT_NOBITS) return;
  const auto compression = compression_of(file, section);
  const bool compressed = compression && *compression;
  whole_ = compressed || is_relocated(file, section);
  texts_ = (section.flags & SHF_STRINGS) != 0;
  if (compressed) {
    size_ = (*compression)->size;
  } else if (compression && section.offset < file.file_size()) {
    size_ = std::min(section.size, file.file_size() - section.offset);
  }
}

void SectionStorage::load() const {
  if (whole_) {
    auto contents = section_contents(file_, section_);
    if (!contents) return;
    relocate(file_, section_, *contents);
    bytes_ = std::move(*contents);
    return;
  }
  std::vector<std::byte> bytes(size_);
  if (file_.read_into(section_.offset, bytes)) bytes_ = std::move(bytes);
}

Bytes SectionStorage::read(u64 offset, u64 size, std::vector<std::byte>& buffer) const {
  if (offset >= size_) return {};
  size = std::min(size, size_ - offset);
  if (in_memory()) {
    std::call_once(once_, [this] { load(); });
    return offset < bytes_.size() ? Bytes(bytes_).subspan(offset, std::min(size, bytes_.size() - offset)) : Bytes();
  }
  buffer.resize(size);
  if (!file_.read_into(section_.offset + offset, buffer)) return {};
  return buffer;
}

Bytes DwarfSection::read(u64 offset, u64 size, std::vector<std::byte>& buffer) const {
  if (storage_ == nullptr || offset >= size_) return {};
  return storage_->read(base_ + offset, std::min(size, size_ - offset), buffer);
}

bool DwarfSection::read_number(u64 offset, unsigned size, ByteOrder order, u64& value) const {
  std::vector<std::byte> buffer;
  const Bytes bytes = read(offset, size, buffer);
  if (bytes.size() != size || size == 0 || size > 8) return false;
  value = 0;
  for (unsigned i = 0; i < size; ++i) {
    const std::byte byte = bytes[order == ByteOrder::Little ? size - 1 - i : i];
    value = value << 8 | std::to_integer<u64>(byte);
  }
  return true;
}

std::string_view DwarfSection::text(u64 offset, std::vector<std::byte>& buffer) const {
  for (u64 window = 256;; window *= 16) {
    const Bytes bytes = read(offset, in_memory() ? kLongestText : std::min(window, kLongestText), buffer);
    if (bytes.empty()) return {};
    const auto* chars = reinterpret_cast<const char*>(bytes.data());
    const std::size_t length = ::strnlen(chars, bytes.size());
    if (length < bytes.size()) return {chars, length};
    if (bytes.size() < window || window >= kLongestText || in_memory()) return {};
  }
}

DwarfSection DwarfSection::part(u64 offset, u64 size) const {
  DwarfSection result = *this;
  if (offset >= size_) {
    result.size_ = 0;
    return result;
  }
  result.base_ += offset;
  result.size_ = std::min(size, size_ - offset);
  return result;
}

}  // namespace peregrine
