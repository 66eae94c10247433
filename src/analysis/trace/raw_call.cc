#include "analysis/trace/raw_call.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace peregrine {

namespace {

// After the common fields.
constexpr std::size_t kCallNumber = 8;

u32 raw_call_number(ByteReader& raw) {
  raw.skip(kCallNumber);
  return static_cast<u32>(std::min<u64>(raw.get64(), std::numeric_limits<u32>::max()));
}

}  // namespace

std::optional<RawEnter> decode_raw_enter(Bytes raw, ByteOrder order) {
  ByteReader reader(raw, order);
  RawEnter call{.number = raw_call_number(reader)};
  for (u64& argument : call.arguments) argument = reader.get64();
  return reader.ok() ? std::optional(call) : std::nullopt;
}

std::optional<RawExit> decode_raw_exit(Bytes raw, ByteOrder order) {
  ByteReader reader(raw, order);
  RawExit call{.number = raw_call_number(reader)};
  call.result = static_cast<i64>(reader.get64());
  return reader.ok() ? std::optional(call) : std::nullopt;
}

}  // namespace peregrine
