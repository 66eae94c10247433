// CfiSection: iterates over the entries of .eh_frame or .debug_frame.
//
//   CIE  shared by many functions: alignments, pointer encodings, initial instructions
//   FDE  one range of code: address, size, its CIE, and the instructions that follow the CIE's
//
// Supports versions 1, 3 and 4, 32-bit and 64-bit lengths, the augmentations z R P L S B and the older "eh". An invalid
// entry is skipped and counted; the walk ends if the next entry cannot be located. Views borrow the section's bytes.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/cfi/cfi_reader.h"

namespace peregrine {

enum class CfiFormat : u8 { EhFrame, DebugFrame };

struct CfiCie {
  Bytes instructions;
  u64 code_alignment = 1;
  i64 data_alignment = 1;
  u32 return_register = 0;
  unsigned address_size = 8;
  u8 pointer_encoding = PointerEncoding::Absolute;
  bool has_augmentation_data = false;  // 'z'
  bool signal_frame = false;           // 'S': a signal handler's frame; its pc is not a return address
};

struct CfiFde {
  u64 start = 0, size = 0;  // virtual addresses
  Bytes instructions;
};

struct CfiSource {
  Bytes bytes;
  CfiFormat format = CfiFormat::EhFrame;
  ByteOrder order = ByteOrder::Little;
  unsigned address_size = 8;
  PointerBases bases;
};

class CfiSection {
 public:
  explicit CfiSection(const CfiSource& source) : source_(source) {}

  using Visit = std::function<void(const CfiCie&, const CfiFde&)>;
  // Calls `visit` for each FDE in section order; returns the number of invalid entries.
  u64 each(const Visit& visit);

 private:
  struct Entry {
    std::size_t id_at = 0;  // offset of the CIE id or CIE pointer
    std::size_t end = 0;
    bool wide = false;  // 64-bit DWARF
  };
  std::optional<Entry> entry_at(std::size_t offset) const;
  bool visit_entry(const Entry& entry, const Visit& visit);
  const CfiCie* cie_at(u64 offset);
  std::optional<CfiCie> parse_cie(u64 offset) const;
  bool parse_augmentation(CfiReader& reader, std::string_view augmentation, CfiCie& cie) const;
  std::optional<CfiFde> parse_fde(CfiReader& reader, const CfiCie& cie) const;
  u64 id_of(const Entry& entry) const;
  bool is_cie(u64 id, bool wide) const;

  CfiSource source_;
  std::unordered_map<u64, std::optional<CfiCie>> cies_;
  u64 last_offset_ = ~u64{0};
  const CfiCie* last_cie_ = nullptr;
};

}  // namespace peregrine
