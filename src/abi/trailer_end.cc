#include "abi/trailer_end.h"

#include <algorithm>
#include <cstring>

#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {

namespace {

// Returns the size of header and body for the kinds of records that may be followed by excess bytes. Returns 0 for
// other kinds and for bodies that do not end.
std::size_t body_end(const RecordView& record) {
  constexpr std::size_t kKsymbolName = 24, kBpfEventEnd = 24, kPokeLengths = 16, kPokeBytes = 20;
  const auto padded = [](std::size_t size) { return (size + 7) / 8 * 8; };
  const Bytes bytes = record.bytes;
  switch (record.type) {
    case RecordType::BpfEvent:
      return kBpfEventEnd;
    case RecordType::Ksymbol: {
      if (bytes.size() <= kKsymbolName) return 0;
      const auto* name = reinterpret_cast<const char*>(bytes.data() + kKsymbolName);
      return kKsymbolName + padded(::strnlen(name, bytes.size() - kKsymbolName) + 1);
    }
    case RecordType::TextPoke: {
      if (bytes.size() < kPokeBytes) return 0;
      const auto length = [&](std::size_t at) { return load<u16>(bytes.data() + at, record.order); };
      return padded(std::size_t{kPokeBytes} + length(kPokeLengths) + length(kPokeLengths + 2));
    }
    default:
      return 0;
  }
}

}  // namespace

std::size_t trailer_end(const RecordView& record, std::size_t trailer_size) {
  const std::size_t size = record.bytes.size(), body = body_end(record);
  return body == 0 ? size : std::min(size, body + trailer_size);
}

}  // namespace peregrine::abi
