// header_record: applies the HEADER_* and EVENT_UPDATE records of a pipe to a header and an evlist.
//
// Used by Reader for every user record it delivers. Format: docs/perf-data.md, "The pipe".
#pragma once
#include <optional>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/header/evlist.h"

namespace peregrine::data {

enum class Applied { Done, NotOurs, Malformed };

// `record.payload` holds the data that follows a TRACING_DATA record.
Applied apply_header_record(const abi::RecordView& record, Header& header, Evlist& evlist);

// Returns the feature in a record of Google's perf 3.2, which sent features 3 (HOSTNAME) to 14 (NUMA_TOPOLOGY) down a
// pipe as record types 69 to 80. These numbers mean other things today.
constexpr std::optional<u32> old_feature(abi::RecordType type) {
  constexpr u32 kFirst = 69, kLast = 80;
  const u32 number = static_cast<u32>(type);
  if (number < kFirst || number > kLast) return std::nullopt;
  return number - kFirst + static_cast<u32>(FeatureId::Hostname);
}

// Adds names and groups from EVENT_DESC and GROUP_DESC to the events. Called when both are known.
void complete_evlist(const Features& features, Evlist& evlist);

// Names tracepoints from simpleperf's META_INFO, for a recording that has neither EVENT_DESC nor formats.
void name_by_simpleperf(const Header& header, Evlist& evlist);

// Adds one feature to the header: its value, or its bytes if they cannot be decoded.
void add_feature(u32 id, Bytes bytes, Header& header);

}  // namespace peregrine::data
