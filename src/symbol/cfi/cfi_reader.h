// CfiReader: reads the number formats of call frame information: LEB128 and the many pointer encodings.
//
// Bounds-checked like ByteReader: past the end everything reads as zero and ok() is false. Sources: DWARF 5, 7.6; Linux
// Standard Base, Core, 10.5 "DWARF Extensions" for the pointer encodings of .eh_frame.
#pragma once
#include <optional>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

// DW_EH_PE_*: the format of a pointer (low four bits), its base, and whether it is indirect.
struct PointerEncoding {
  static constexpr u8 Absolute = 0, Omitted = 0xff;
  static constexpr u8 FormatMask = 0x0f, BaseMask = 0x70, Indirect = 0x80;
};

// Base addresses of relative pointers.
struct PointerBases {
  u64 section = 0;   // address of the reader's first byte
  u64 text = 0;      // DW_EH_PE_textrel
  u64 data = 0;      // DW_EH_PE_datarel: the GOT, or .eh_frame_hdr for pointers inside it
  u64 function = 0;  // DW_EH_PE_funcrel
};

class CfiReader : public ByteReader {
 public:
  CfiReader(Bytes bytes, ByteOrder order, unsigned address_size)
      : ByteReader(bytes, order), address_size_(address_size) {}

  u64 unsigned_leb();
  i64 signed_leb();
  u64 address() { return address_size_ == 8 ? get64() : get32(); }
  // Nothing for omitted, indirect and unknown encodings. Consumes the pointer's bytes whenever its size is known.
  std::optional<u64> pointer(u8 encoding, const PointerBases& bases);
  u64 pointer_value(u8 encoding);  // the format only, no base added

  unsigned address_size() const { return address_size_; }
  void set_address_size(unsigned size) { address_size_ = size; }

 private:
  unsigned address_size_;
};

}  // namespace peregrine
