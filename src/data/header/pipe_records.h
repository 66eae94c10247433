// pipe_records: the HEADER_*, EVENT_UPDATE and BUILD_ID records, which are the header of a pipe.
//
// Used by Writer. Format: docs/perf-data.md, "The pipe".
#pragma once
#include "data/header.h"
#include "data/header/evlist.h"

namespace peregrine::data {

void put_header_attr(const Event& event, u32 attr_size, ByteWriter& out);
// Unit, scale and CPUs as far as they are set, and the name when `with_name`.
void put_event_updates(const Event& event, bool with_name, ByteWriter& out);
// Only the name.
void put_event_name(const Event& event, ByteWriter& out);
// What linux-perf sends down a pipe as HEADER_FEATURE: the rest only makes sense with a whole file, or has records of
// its own.
bool goes_down_a_pipe(FeatureId id);
// HEADER_FEATURE; nothing when it does not fit into a record.
void put_header_feature(u32 id, Bytes bytes, ByteWriter& out);
void put_last_feature(ByteWriter& out);
void put_tracing_data(Bytes blob, ByteWriter& out);
// BUILD_ID records out of the bytes of the feature.
void put_build_ids(Bytes feature, ByteWriter& out);

}  // namespace peregrine::data
