// The lines around report's tables: preamble, heading per event, closing tip, and the counts of --stats.
//
// Byte for byte linux-perf's, since programs read them. Pure except for the sink.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// "# To display the perf.data header info, …"
void print_header_hint(Sink& out);
// `filters`: keys reduced to a single value by a filter, and that value ("comm", "bash").
void print_filters(Sink& out, std::span<const std::pair<std::string, std::string>> filters);
void print_preamble(Sink& out, u64 lost_samples);

struct EventHeading {
  std::string name;  // or "anon group { a, b }"
  bool group = false;
  u64 samples = 0;
  u64 period = 0;
  std::string remark;                      // " (time slices: 10%-20%)"
  std::optional<int> socket;               // --socket-filter
  std::optional<std::string> weighted_by;  // --mem-mode: periods are weights, and these are the sort keys
};
void print_event_heading(Sink& out, const EventHeading& heading);
void print_tip(Sink& out, std::string_view tip);

struct EventCounts {
  std::string name;
  u64 samples = 0;
  u64 lost_samples = 0;
};
// --stats. `by_type`: number of records by type. `has_traces`: the recording has AUX traces; samples decoded from them
// are not counted.
void print_stats(Sink& out, std::span<const u64> by_type, std::span<const EventCounts> events, bool has_traces = false);

// -T: one row per thread, one column per event.
struct ThreadCounts {
  u32 pid = 0, tid = 0;
  std::vector<u64> values;  // by event
};
void print_thread_counts(Sink& out, std::span<const std::string> events, std::span<const ThreadCounts> threads);

}  // namespace peregrine
