// first_record(): steps through adjacent records in memory, as in rings and writers' output, in host byte order.
#pragma once
#include <cstddef>
#include <optional>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {

// The record at the start of `bytes`; nothing if it is incomplete.
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
