#include "event/field/trace_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/types.h"

namespace peregrine {

char* float_at(char* to, u64 bits, u32 size) {
  constexpr std::size_t kMost = 32;
  if (size == 4) return fmt::format_to_n(to, kMost, "{}", std::bit_cast<float>(static_cast<u32>(bits))).out;
  return fmt::format_to_n(to, kMost, "{}", std::bit_cast<double>(bits)).out;
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
  return up_to_nul(bytes_of(field, record, order));
}

}  // namespace peregrine
