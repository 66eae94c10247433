#include "event/field/trace_value.h"

#include <string.h>

#include <algorithm>
#include <cstddef>

#include "base/types.h"

namespace peregrine {

u64 load_number(Bytes record, u64 offset, u32 size, ByteOrder order) {
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

u64 extend_sign(u64 value, u32 size) {
  if (size == 0 || size >= 8) return value;
  const unsigned unused = 64 - 8 * size;
  return static_cast<u64>(static_cast<i64>(value << unused) >> unused);
}

u64 number_of(const TraceField& field, Bytes record, ByteOrder order) {
  const u64 value = load_number(record, field.offset, field.size, order);
  return field.is_signed ? extend_sign(value, field.size) : value;
}

bool is_unavailable(const TraceField& field, Bytes record, ByteOrder order) {
  return field.mask_bit != TraceField::kAlwaysAvailable &&
         (load_number(record, field.mask_offset, 8, order) >> field.mask_bit & 1) != 0;
}

Bytes bytes_of(const TraceField& field, Bytes record, ByteOrder order) {
  u64 offset = field.offset, size = field.size;
  if (field.is_data_loc || field.is_rel_loc) {
    const auto locator = static_cast<u32>(load_number(record, field.offset, 4, order));
    offset = (locator & 0xffff) + (field.is_rel_loc ? u64{field.offset} + field.size : 0);
    size = locator >> 16;
  } else if (field.is_array && field.array_length == 0) {
    size = record.size();  // "char buf[]": the rest of the record
  }
  if (offset >= record.size()) return {};
  return record.subspan(offset, std::min<u64>(size, record.size() - offset));
}

std::string_view text_of(const TraceField& field, Bytes record, ByteOrder order) {
  const Bytes bytes = bytes_of(field, record, order);
  const auto* chars = reinterpret_cast<const char*>(bytes.data());
  return bytes.empty() ? std::string_view() : std::string_view(chars, ::strnlen(chars, bytes.size()));
}

}  // namespace peregrine
