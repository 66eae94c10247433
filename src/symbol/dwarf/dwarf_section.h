// DwarfSection: the bytes of one debug section, or of one unit's part of it in a .dwp file.
//
// Small sections and compressed ones are held in memory from the first question on; of large ones only the pieces that
// are asked for are read, since debug information may be larger than memory. A section is a light view; the file's
// SectionStorage owns the bytes. Thread safe.
#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "symbol/elf/elf_file.h"

namespace peregrine {

class SectionStorage {
 public:
  // Both outlive the storage.
  SectionStorage(const ElfFile& file, const ElfSection& section);

  // Unpacked; 0 for a section that cannot be unpacked.
  u64 size() const { return size_; }
  // The bytes from `offset` on, at most `size` of them: in memory, or read into `buffer`. Fewer at the end, and where
  // the file cannot be read.
  Bytes read(u64 offset, u64 size, std::vector<std::byte>& buffer) const;
  // Whether what read() gives lives as long as the storage.
  bool in_memory() const { return whole_ || size_ <= (texts_ ? kTextsHeld : kHeld); }

 private:
  static constexpr u64 kHeld = u64{4} << 20, kTextsHeld = u64{16} << 20;  // texts are asked for one by one
  void load() const;

  const ElfFile& file_;
  const ElfSection& section_;
  bool whole_ = false;  // packed, or without the addresses that a linker puts in
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
  u64 start() const { return base_; }  // in the whole section
  bool in_memory() const { return storage_ == nullptr || storage_->in_memory(); }
  Bytes read(u64 offset, u64 size, std::vector<std::byte>& buffer) const;
  // An unsigned number of `size` (1 to 8) bytes; false when it lies beyond the end.
  bool read_number(u64 offset, unsigned size, ByteOrder order, u64& value) const;
  // The text up to the next NUL, at most some kilobytes: in memory, or in `buffer`.
  std::string_view text(u64 offset, std::vector<std::byte>& buffer) const;
  // `size` bytes from `offset` on, cut to what there is.
  DwarfSection part(u64 offset, u64 size) const;

 private:
  const SectionStorage* storage_ = nullptr;
  u64 base_ = 0;
  u64 size_ = 0;
};

}  // namespace peregrine
