// print_fields: formats fields as linux-perf does without a print format: " pid=77 comm=bash args=ARRAY[01, 02]".
#pragma once
#include "base/bytes.h"
#include "base/text/text_buffer.h"
#include "event/field/trace_format.h"

namespace peregrine {

// " name=value", with a printable value. Reserves space.
void put_named_field(TextBuffer& out, const TraceField& field, Bytes record, ByteOrder order);
void put_field_value(TextBuffer& out, const TraceField& field, Bytes record, ByteOrder order);

}  // namespace peregrine
