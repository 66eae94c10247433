// header_record: what the HEADER_* and EVENT_UPDATE records of a pipe say, applied to a header and an evlist.
//
// Used by Reader for every user record it delivers. Format: docs/perf-data.md, "The pipe".
#pragma once
#include "abi/record.h"
#include "data/evlist.h"
#include "data/header.h"

namespace peregrine::data {

enum class Applied { Done, NotOurs, Malformed };

// `payload` is TRACING_DATA's.
Applied apply_header_record(const abi::RecordView& record, Header& header, Evlist& evlist);

// EVENT_DESC and GROUP_DESC say more about the events: names, groups. Called once both are known.
void complete_evlist(const Features& features, Evlist& evlist);

// simpleperf's META_INFO names the tracepoints of a recording that has neither EVENT_DESC nor formats.
void name_by_simpleperf(const Header& header, Evlist& evlist);

// One feature's bytes into the header: its value, or, when they cannot be decoded, the bytes.
void add_feature(u32 id, Bytes bytes, Header& header);

}  // namespace peregrine::data
