#include "event/vendor/event_table.h"

#include <algorithm>
#include <expected>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/text/ascii.h"
#include "symbol/compression/unpack.h"

namespace peregrine::event_table {

namespace {

std::string_view next_string(std::string_view& rest) {
  const std::string_view text = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(rest.size(), text.size() + 1));
  return text;
}

}  // namespace

Result<Rows> read_rows(const Table& table) {
  const Bytes packed = std::as_bytes(std::span(kPacked + table.place, table.packed));
  auto bytes = unpack_to_size(Packing::Zstd, packed, table.name, table.unpacked);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  Rows read{.bytes = std::move(*bytes), .rows = std::vector<Row>(table.count)};
  ByteReader numbers(read.bytes, ByteOrder::Little);
  for (Row& row : read.rows) row.config = numbers.get<u64>();
  for (Row& row : read.rows) row.extra = numbers.get<u64>();
  const Bytes strings = numbers.rest();
  std::string_view rest(reinterpret_cast<const char*>(strings.data()), strings.size());
  for (Row& row : read.rows) row.other = next_string(rest);
  for (Row& row : read.rows) row.text = next_string(rest);
  return read;
}

std::string name_of(std::string_view other) {
  std::string name = lower_case(other);
  std::ranges::replace(name, ':', '.');
  return name;
}

}  // namespace peregrine::event_table
