// trace_value: reads the values of a tracepoint's fields from a record.
//
// Bounds-checked: data beyond the record reads as 0 or empty. Views borrow the record's bytes.
#pragma once
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"

namespace peregrine {

// The unsigned number of 1, 2, 4 or 8 bytes at `offset`; 0 if out of bounds or of another size.
u64 load_number(Bytes record, u64 offset, u32 size, ByteOrder order);
// Sign-extends: an int of -1 becomes ~0.
u64 extend_sign(u64 value, u32 size);

// The value of a number field, sign-extended if it is signed.
u64 number_of(const TraceField& field, Bytes record, ByteOrder order);
// Whether the record has a placeholder for the field: a probe argument that this location lacks.
bool is_unavailable(const TraceField& field, Bytes record, ByteOrder order);
// A field's bytes; for __data_loc and __rel_loc, the bytes it points at.
Bytes bytes_of(const TraceField& field, Bytes record, ByteOrder order);
// The text of a string field, up to its NUL.
std::string_view text_of(const TraceField& field, Bytes record, ByteOrder order);

}  // namespace peregrine
