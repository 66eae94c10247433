// pipe_records: the HEADER_*, EVENT_UPDATE and BUILD_ID records with which a recording describes itself.
//
// Used by Writer. Format: docs/perf-data.md, "The pipe".
#pragma once
#include "data/evlist.h"
#include "data/header.h"

namespace peregrine::data {

void put_header_attr(const Event& event, u32 attr_size, ByteWriter& out);
// Unit, scale and CPUs as far as they are set, and the name when `with_name`.
void put_event_updates(const Event& event, bool with_name, ByteWriter& out);
// HEADER_FEATURE for every feature that fits into a record, and the one that ends them.
void put_header_features(const Features& features, ByteWriter& out);
void put_tracing_data(Bytes blob, ByteWriter& out);
void put_build_ids(const Features& features, ByteWriter& out);

}  // namespace peregrine::data
