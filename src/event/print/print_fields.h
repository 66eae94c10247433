// print_fields: formats fields as linux-perf does without a print format: " pid=77 comm=bash args=ARRAY[01, 02]".
#pragma once
#include "base/bytes.h"
#include "base/text/text_buffer.h"
#include "event/field/trace_format.h"

namespace peregrine {

// " name=value", with a printable value. Reserves space.
void put_named_field(TextBuffer& out, const TraceField& field, Bytes record, ByteOrder order);
void put_field_value(TextBuffer& out, const TraceField& field, Bytes record, ByteOrder order);

// The same for people, in tables, lines and pages: an array of characters is text, however it looks, and other arrays
// are lists: "[127, 0, 0, 1]". The caller makes the text printable.
void put_plain_value(TextBuffer& out, const TraceField& field, Bytes record, ByteOrder order);

}  // namespace peregrine
