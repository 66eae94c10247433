// LEB128: integers with seven bits per byte, lowest first, as in DWARF, exception tables and protobuf's varints.
//
// Drops bits beyond the 64th. An unterminated number sets the reader's ok() to false.
#pragma once
#include <string>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

inline u64 get_uleb128(ByteReader& reader) {
  u64 value = reader.get8();
  if (value < 0x80) return value;
  value &= 0x7f;
  for (unsigned shift = 7; reader.ok(); shift += 7) {
    const u64 byte = reader.get8();
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

inline i64 get_sleb128(ByteReader& reader) {
  u64 value = 0;
  for (unsigned shift = 0; reader.ok();) {
    const u64 byte = reader.get8();
    if (shift < 64) value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    if ((byte & 0x40) != 0 && shift < 64) value |= ~u64{0} << shift;
    break;
  }
  return static_cast<i64>(value);
}

inline void append_uleb128(std::string& out, u64 value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

}  // namespace peregrine
