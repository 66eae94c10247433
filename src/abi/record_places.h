// record_places: single fields of records, read or found without decoding the record.
//
// For code that must not decode a whole record: the stream, which needs the size of a payload before the next record,
// the time order, and copies that replace a field in place. Offsets are from the start of the record. Format:
// docs/perf-data.md.
#pragma once
#include <cstddef>

#include "abi/record.h"
#include "base/types.h"

namespace peregrine::abi {

namespace record_place {
inline constexpr std::size_t kTaskTime = 24;                                                 // FORK, EXIT
inline constexpr std::size_t kMapPid = 8, kMapStart = 16, kMapLength = 24, kMapOffset = 32;  // MMAP, MMAP2
inline constexpr std::size_t kMmapName = 40, kMmap2Name = 72;
inline constexpr std::size_t kKsymbolAddress = 8, kTextPokeAddress = 8;
inline constexpr std::size_t kDeferredChain = 24;  // CALLCHAIN_DEFERRED: after cookie and count
}  // namespace record_place

// The size of the payload that follows an AUXTRACE or TRACING_DATA record. 0 for others, and for one that is too short.
u64 payload_size(const RecordView& record);

// The time of an AUXTRACE_ERROR record; 0 if its format has none.
u64 auxtrace_error_time(const RecordView& record);

}  // namespace peregrine::abi
