// pipe_records: the HEADER_*, EVENT_UPDATE and BUILD_ID records, which form the header of a pipe.
//
// Used by Writer. Format: docs/perf-data.md, "The pipe".
#pragma once
#include "base/bytes.h"
#include "base/types.h"
#include "data/header/evlist.h"

namespace peregrine::data {

void put_header_attr(const Event& event, u32 attr_size, ByteWriter& out);
// Writes unit, scale and CPUs if they are set, and the name if `with_name`.
void put_event_updates(const Event& event, bool with_name, ByteWriter& out);
// Writes only the name.
void put_event_name(const Event& event, ByteWriter& out);
// Writes HEADER_FEATURE, or nothing if the feature exceeds the size of a record.
void put_header_feature(u32 id, Bytes bytes, ByteWriter& out);
void put_last_feature(ByteWriter& out);
void put_tracing_data(Bytes blob, ByteWriter& out);
// Writes BUILD_ID records from the bytes of the feature.
void put_build_ids(Bytes feature, ByteWriter& out);

}  // namespace peregrine::data
