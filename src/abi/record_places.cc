#include "abi/record_places.h"

#include "abi/record_rows.h"
#include "base/bytes.h"

namespace peregrine::abi {

u64 payload_size(const RecordView& record) {
  ByteReader body(record.body(), record.order);
  if (record.type == RecordType::Auxtrace) return body.get64();
  if (record.type == RecordType::HeaderTracingData) return body.get32();
  return 0;
}

u64 auxtrace_error_time(const RecordView& record) {
  constexpr std::size_t kType = 8, kFormat = 28, kTime = 40, kLeast = 112;
  constexpr u32 kInstructionTrace = 1;
  const auto word = [&](std::size_t at) { return load<u32>(record.bytes.data() + at, record.order); };
  if (record.bytes.size() < kLeast || word(kType) != kInstructionTrace || word(kFormat) == 0) return 0;
  return load<u64>(record.bytes.data() + kTime, record.order);
}

}  // namespace peregrine::abi
