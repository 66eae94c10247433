// header_record: applies the HEADER_* and EVENT_UPDATE records of a pipe to a header and an evlist.
//
// Used by Reader for every user record it delivers. Format: docs/perf-data.md, "The pipe".
#pragma once
#include <optional>

#include "abi/record.h"
#include "data/header.h"
#include "data/header/evlist.h"

namespace peregrine::data {

enum class Applied { Done, NotOurs, Malformed };

// `payload` is TRACING_DATA's.
Applied apply_header_record(const abi::RecordView& record, Header& header, Evlist& evlist);

// The feature that Google's perf 3.2 sent down a pipe as that record: 69 (HOSTNAME) to 80 (NUMA_TOPOLOGY), numbers that
// mean other things since.
constexpr std::optional<u32> old_feature(abi::RecordType type) {
  constexpr u32 kFirst = 69, kLast = 80;
  const u32 number = static_cast<u32>(type);
  if (number < kFirst || number > kLast) return std::nullopt;
  return number - kFirst + static_cast<u32>(FeatureId::Hostname);
}

// EVENT_DESC and GROUP_DESC say more about the events: names, groups. Called once both are known.
void complete_evlist(const Features& features, Evlist& evlist);

// simpleperf's META_INFO names the tracepoints of a recording that has neither EVENT_DESC nor formats.
void name_by_simpleperf(const Header& header, Evlist& evlist);

// One feature's bytes into the header: its value, or, when they cannot be decoded, the bytes.
void add_feature(u32 id, Bytes bytes, Header& header);

}  // namespace peregrine::data
