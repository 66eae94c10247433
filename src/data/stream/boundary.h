// boundary: decides whether a record can start at an offset. Used to find the next record after damage.
//
// RecordStream does not ask for a record of a known type that starts where the previous one ended. Format:
// docs/perf-data.md, "Damage".
#pragma once
#include <cstddef>

#include "abi/record.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::data {

// The types of the kernel, of linux-perf, and room for future ones.
constexpr bool is_record_type(u32 type) { return (type >= 1 && type < 128) || abi::is_simpleperf(type); }

// Whether the 8 bytes at `at` are a plausible record header: a possible type, a size that this type can have, and no
// unused misc bit set.
bool is_record_header(const std::byte* at, ByteOrder order);

// Whether a run of records starts at the beginning of `bytes`: either several in a row, or at least one if the records
// end exactly where both the bytes and the input end (`ended`).
bool is_record_run(Bytes bytes, bool ended, ByteOrder order);

// Number of bytes that is_record_run() needs if the input continues.
inline constexpr std::size_t kRunBytes = std::size_t{3} << 16;

}  // namespace peregrine::data
