// trace_value: the values of a tracepoint's fields in the bytes of one of its records.
//
// Every bound is checked: what lies beyond the record reads as 0 or as nothing. Views borrow the record's bytes.
#pragma once
#include <string_view>

#include "base/bytes.h"
#include "event/field/trace_format.h"

namespace peregrine {

// A number of 1, 2, 4 or 8 bytes at `offset`, as it stands there, without its sign; 0 beyond the end or of another
// size.
u64 load_number(Bytes record, u64 offset, u32 size, ByteOrder order);
// The same with its sign: -1 of an int is ~0.
u64 extend_sign(u64 value, u32 size);

// A number field, its sign extended when it is signed.
u64 number_of(const TraceField& field, Bytes record, ByteOrder order);
// Whether the record has a placeholder instead of the field: an argument of a probe that this location lacks.
bool is_unavailable(const TraceField& field, Bytes record, ByteOrder order);
// Where a field's bytes are: of a __data_loc or __rel_loc field, what it points at.
Bytes bytes_of(const TraceField& field, Bytes record, ByteOrder order);
// The text of a string field, up to its NUL.
std::string_view text_of(const TraceField& field, Bytes record, ByteOrder order);

}  // namespace peregrine
