// DwarfSection: the bytes of one debug section, or of one unit's part of it in a .dwp file.
//
// Small or compressed sections are loaded on first use. Large ones are read piecemeal, since debug information may
// exceed memory. A section is a cheap view; the file's SectionStorage owns the bytes. Thread safe.
#pragma once
#include <cstddef>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

class SectionStorage {
 public:
  // `file` and `section` must outlive this.
  SectionStorage(const ElfFile& file, const ElfSection& section);

  // Decompressed size; 0 if decompression is impossible.
  u64 size() const { return size_; }
  // At most `size` bytes from `offset`, in memory or read into `buffer`. Fewer at the end and after a read error.
  Bytes read(u64 offset, u64 size, std::vector<std::byte>& buffer) const;
  // Whether the result of read() lives as long as the storage.
  bool in_memory() const { return whole_ || size_ <= (texts_ ? kTextsHeld : kHeld); }

 private:
  static constexpr u64 kHeld = u64{4} << 20, kTextsHeld = u64{16} << 20;  // strings are read one by one
  void load() const;

  const ElfFile& file_;
  const ElfSection& section_;
  bool whole_ = false;  // must be loaded whole: compressed, or needs relocation
  bool texts_ = false;
  u64 size_ = 0;
  mutable std::once_flag once_;
  mutable std::vector<std::byte> bytes_;
};

class DwarfSection {
 public:
  DwarfSection() = default;
  explicit DwarfSection(const SectionStorage& storage) : storage_(&storage), size_(storage.size()) {}

  u64 size() const { return size_; }
  bool empty() const { return size_ == 0; }
  u64 start() const { return base_; }  // offset in the whole section
  bool in_memory() const { return storage_ == nullptr || storage_->in_memory(); }
  Bytes read(u64 offset, u64 size, std::vector<std::byte>& buffer) const;
  // Reads an unsigned number of 1 to 8 bytes; false if it exceeds the section.
  bool read_number(u64 offset, unsigned size, ByteOrder order, u64& value) const;
  // The string up to the next NUL, at most a few kB: in memory, or in `buffer`.
  std::string_view text(u64 offset, std::vector<std::byte>& buffer) const;
  // `size` bytes from `offset`, clipped to the section.
  DwarfSection part(u64 offset, u64 size) const;

 private:
  const SectionStorage* storage_ = nullptr;
  u64 base_ = 0;
  u64 size_ = 0;
};

}  // namespace peregrine
