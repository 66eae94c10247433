#include "analysis/timeline/packed_columns.h"

#include <algorithm>

namespace peregrine {

namespace {

constexpr unsigned kVarintBits = 7, kMostShift = 63;
constexpr u64 kMore = 0x80;

}  // namespace

void append_coded_column(std::string& out, std::string_view coded) {
  append_uleb128(out, coded.size());
  out += coded;
}

u64 ColumnReader::number() {
  u64 value = 0;
  for (unsigned shift = 0; !bytes_.empty(); shift += kVarintBits) {
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    if (shift <= kMostShift) value |= u64{byte & (kMore - 1)} << shift;
    if ((byte & kMore) == 0) break;
  }
  return value;
}

std::string_view ColumnReader::next_column() {
  const auto size = static_cast<std::size_t>(std::min<u64>(number(), bytes_.size()));
  const std::string_view column = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return column;
}

void ColumnReader::skip_column() { static_cast<void>(next_column()); }

}  // namespace peregrine
