#include "symbol/cfi/cfi_reader.h"

#include "base/leb128.h"
#include "base/types.h"

namespace peregrine {

u64 CfiReader::unsigned_leb() { return get_uleb128(*this); }

i64 CfiReader::signed_leb() { return get_sleb128(*this); }

u64 CfiReader::pointer_value(u8 encoding) {
  const auto extended = [](i64 value) { return static_cast<u64>(value); };
  switch (encoding & PointerEncoding::FormatMask) {
    case 0x0:
      return address();
    case 0x1:
      return unsigned_leb();
    case 0x2:
      return get16();
    case 0x3:
      return get32();
    case 0x4:
    case 0xc:
      return get64();
    case 0x9:
      return extended(signed_leb());
    case 0xa:
      return extended(get<i16>());
    case 0xb:
      return extended(get<i32>());
    default:
      skip(left() + 1);  // unknown length: give up
      return 0;
  }
}

std::optional<u64> CfiReader::pointer(u8 encoding, const PointerBases& bases) {
  constexpr u8 kSection = 0x10, kText = 0x20, kData = 0x30, kFunction = 0x40, kAligned = 0x50;
  if (encoding == PointerEncoding::Omitted) return std::nullopt;
  u64 base = 0;
  switch (encoding & PointerEncoding::BaseMask) {
    case PointerEncoding::Absolute:
      break;
    case kSection:
      base = bases.section + offset();
      break;
    case kText:
      base = bases.text;
      break;
    case kData:
      base = bases.data;
      break;
    case kFunction:
      base = bases.function;
      break;
    case kAligned:
      skip((address_size_ - (bases.section + offset()) % address_size_) % address_size_);
      break;
    default:
      skip(left() + 1);
      return std::nullopt;
  }
  u64 value = base + pointer_value(encoding);
  if (address_size_ == 4) value &= 0xffffffffu;
  if (!ok() || (encoding & PointerEncoding::Indirect) != 0) return std::nullopt;
  return value;
}

}  // namespace peregrine
