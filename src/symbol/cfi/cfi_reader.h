// CfiReader: the numbers that call frame information is written in: LEB128 and pointers of many encodings.
//
// Bounds as of ByteReader: past the end all is zero and ok() is false. Sources: DWARF 5, 7.6; Linux Standard Base,
// Core, 10.5 "DWARF Extensions" for the pointer encodings of .eh_frame.
#pragma once
#include <optional>

#include "base/bytes.h"

namespace peregrine {

// DW_EH_PE_*: how a pointer is stored (low four bits), what it is relative to, and whether it points at the pointer.
struct PointerEncoding {
  static constexpr u8 Absolute = 0, Omitted = 0xff;
  static constexpr u8 FormatMask = 0x0f, BaseMask = 0x70, Indirect = 0x80;
};

// What relative pointers are relative to.
struct PointerBases {
  u64 section = 0;   // address of the reader's first byte
  u64 text = 0;      // DW_EH_PE_textrel
  u64 data = 0;      // DW_EH_PE_datarel: the GOT, or .eh_frame_hdr inside of it
  u64 function = 0;  // DW_EH_PE_funcrel
};

class CfiReader : public ByteReader {
 public:
  CfiReader(Bytes bytes, ByteOrder order, unsigned address_size)
      : ByteReader(bytes, order), address_size_(address_size) {}

  u64 unsigned_leb();
  i64 signed_leb();
  u64 address() { return address_size_ == 8 ? get64() : get32(); }
  // Nothing for an omitted or indirect pointer and for unknown encodings; all its bytes are taken where their number is
  // known.
  std::optional<u64> pointer(u8 encoding, const PointerBases& bases);
  u64 pointer_value(u8 encoding);  // its format alone, relative to nothing

  unsigned address_size() const { return address_size_; }
  void set_address_size(unsigned size) { address_size_ = size; }

 private:
  unsigned address_size_;
};

}  // namespace peregrine
