// Records that lie one behind the other in memory, as rings hold them and writers make them: of this host's byte order.
#pragma once
#include <optional>

#include "abi/record.h"

namespace peregrine::abi {

// The record that the bytes begin with; nothing when they hold no whole one.
inline std::optional<RecordView> first_record(Bytes bytes) {
  if (bytes.size() < kRecordHeaderSize) return std::nullopt;
  const std::size_t size = load<u16>(bytes.data() + 6);
  if (size < kRecordHeaderSize || size > bytes.size()) return std::nullopt;
  RecordView record;
  record.type = static_cast<RecordType>(load<u32>(bytes.data()));
  record.misc = load<u16>(bytes.data() + 4);
  record.bytes = bytes.first(size);
  return record;
}

}  // namespace peregrine::abi
