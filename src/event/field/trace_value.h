// trace_value: reads the values of a tracepoint's fields from a record.
//
// Bounds-checked: data beyond the record reads as 0 or empty. Views borrow the record's bytes.
#pragma once
#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"

namespace peregrine {

// The unsigned number of 1, 2, 4 or 8 bytes at `offset`; 0 if out of bounds or of another size.
inline u64 load_number(Bytes record, u64 offset, u32 size, ByteOrder order) {
  if (offset > record.size() || record.size() - offset < size) return 0;
  const std::byte* at = record.data() + offset;
  switch (size) {
    case 1:
      return load<u8>(at);
    case 2:
      return load<u16>(at, order);
    case 4:
      return load<u32>(at, order);
    case 8:
      return load<u64>(at, order);
    default:
      return 0;
  }
}

// Sign-extends: an int of -1 becomes ~0.
inline u64 extend_sign(u64 value, u32 size) {
  if (size == 0 || size >= 8) return value;
  const unsigned unused = 64 - 8 * size;
  return static_cast<u64>(static_cast<i64>(value << unused) >> unused);
}

// The value of a number field, sign-extended if it is signed. Inline: a sequential analysis reads several per event.
inline u64 number_of(const TraceField& field, Bytes record, ByteOrder order) {
  const u64 value = load_number(record, field.offset, field.size, order);
  return field.is_signed ? extend_sign(value, field.size) : value;
}
// Writes the floating-point number with these bits, of 4 or 8 bytes, with as many digits as it needs: "2.25",
// "-1e+300", "inf", "nan". Takes at most 32 characters; returns their end.
char* float_at(char* to, u64 bits, u32 size);
// Whether the record has a placeholder for the field: a probe argument that this location lacks.
bool is_unavailable(const TraceField& field, Bytes record, ByteOrder order);
// A field's bytes; for __data_loc and __rel_loc, the bytes it points at.
Bytes bytes_of(const TraceField& field, Bytes record, ByteOrder order);
// The text of a string field, up to its NUL.
std::string_view text_of(const TraceField& field, Bytes record, ByteOrder order);

}  // namespace peregrine
