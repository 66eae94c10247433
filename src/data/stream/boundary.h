// boundary: decides if a record can start at a place. Finds the next record after damage.
//
// Used by RecordStream, but not for a record of a known type that starts where the previous one ended. Format:
// docs/perf-data.md, "Damage".
#pragma once
#include "abi/record.h"

namespace peregrine::data {

// The kernel's types, linux-perf's, and room for those to come.
constexpr bool is_record_type(u32 type) { return (type >= 1 && type < 128) || abi::is_simpleperf(type); }

// The 8 bytes at `at` are the header of a record as one is written: a possible type, a size that this type can have, no
// misc bit that nobody sets.
bool is_record_header(const std::byte* at, ByteOrder order);

// A run of records starts at the beginning of `bytes`: several in a row, or one or more that end exactly where the
// bytes end and the input with them (`ended`).
bool is_record_run(Bytes bytes, bool ended, ByteOrder order);

// What is_record_run() wants to see when the input goes on.
inline constexpr std::size_t kRunBytes = std::size_t{3} << 16;

}  // namespace peregrine::data
