// The bytes of one field in a tracepoint record, bounds-checked. Header only: plug-ins use it too.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "script/event_plan.h"

namespace peregrine::script {

inline u64 load_number(const std::byte* at, u32 size, ByteOrder order) {
  switch (size) {
    case 1:
      return load<u8>(at, order);
    case 2:
      return load<u16>(at, order);
    case 4:
      return load<u32>(at, order);
    default:
      return load<u64>(at, order);
  }
}

inline i64 sign_extended(u64 value, u32 size) {
  const unsigned unused = 64 - size * 8;
  return static_cast<i64>(value << unused) >> unused;
}

// Empty if the record is shorter than the format says.
inline Bytes field_bytes(const FieldPlan& field, Bytes record, ByteOrder order) {
  if (field.offset > record.size() || field.size > record.size() - field.offset) return {};
  if (field.place == FieldPlace::Fixed) return record.subspan(field.offset, field.size);
  if (field.size != 4) return {};
  const u32 locator = load<u32>(record.data() + field.offset, order);
  const std::size_t start =
      (locator & 0xffff) + (field.place == FieldPlace::Relative ? std::size_t{field.offset} + field.size : 0);
  const std::size_t length = locator >> 16;
  if (start > record.size() || length > record.size() - start) return {};
  return record.subspan(start, length);
}

// Whether the record has a placeholder for the field (TraceField::mask_bit).
inline bool is_unavailable(const FieldPlan& field, Bytes record, ByteOrder order) {
  if (field.mask_bit == TraceField::kAlwaysAvailable || field.mask_offset > record.size() ||
      record.size() - field.mask_offset < sizeof(u64))
    return false;
  return (load<u64>(record.data() + field.mask_offset, order) >> field.mask_bit & 1) != 0;
}

// 0 if the field is missing.
inline u64 shared_number(const std::optional<FieldPlan>& field, Bytes record, ByteOrder order) {
  if (!field || (field->kind != FieldKind::Unsigned && field->kind != FieldKind::Signed)) return 0;
  const Bytes bytes = field_bytes(*field, record, order);
  return bytes.empty() ? 0 : load_number(bytes.data(), field->size, order);
}

}  // namespace peregrine::script
