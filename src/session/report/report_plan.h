// Plan: a ReportRequest evaluated for one recording: columns, tables and filters. Made before the first record is
// read; only the names of a pipe's events are updated later.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/hist/collector/collector.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/key/trace_fields.h"
#include "analysis/hist/row/graph_options.h"
#include "analysis/hist/row/row_table.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/replay.h"
#include "session/report/report_request.h"
#include "session/session_listener.h"

namespace peregrine {

struct Plan {
  Columns columns;
  GraphOptions graph;
  bool children = false;
  bool chains = false;     // the recording has callchains
  bool graphs = false;     // callchains are shown
  std::string sort_order;  // the requested keys, or the default ones
  bool branches = false;   // branches are counted, not samples
  bool histories = false;  // branch stacks are a part of the callchains
  bool blocks = false;     // blocks of code between branches are counted
  bool by_cpumode = false;
  bool by_parallelism = false;                              // count how many threads ran at the same time as each
                                                            // sample
  std::vector<std::vector<u32>> tables;                     // the events of each table: one, or the members of a group
  std::vector<std::pair<std::string, std::string>> single;  // keys with one value because of a filter, and that value
  std::vector<SortKey> hidden;
  std::vector<std::string> names;  // of the events
};

// Properties of samples that a recording's header does not give.
struct SampleSource {
  bool live = false;          // sampled live: all events are known before the first record
  bool decoded = false;       // some samples come from hardware traces
  bool with_callers = false;  // these have callchains, whatever the events say
};

// `dynamic`: the fields of the recording's tracepoints; null: unknown. Errors: Usage, an invalid or unsatisfiable
// request.
Result<Plan> make_plan(const ReportRequest& asked, const data::Reader& reader, SampleSource source,
                       DynamicKeys* dynamic = nullptr);
// Why this recording has nothing to show for the request, in linux-perf's words. Commands are named `perf`.
std::optional<std::string_view> missing_data(const ReportRequest& asked, const Plan& plan, const data::Reader& reader);
// "5,10": widths of columns; 0: as wide as needed.
std::vector<unsigned> parse_widths(const std::string& text);
// The table for these events.
RowRequest row_request(const ReportRequest& asked, const Plan& plan, const std::vector<u32>& events);
// Names and numbers that select samples. Errors: Usage, an invalid list.
Result<HistFilter> hist_filter(const SampleSelection& selection);
// Errors: Usage, an invalid list or duration.
Result<CollectRequest> collect_request(const ReportRequest& asked, const Plan& plan, const data::Reader& reader);
// Appends the keys that a screen zooms by to those that it shows.
void add_zoom_keys(CollectRequest& request);
// The fields of the recording's tracepoints, for make_plan(). Null if the recording has no formats.
std::unique_ptr<TraceFields> recorded_fields(const data::Reader& reader, bool raw);
// `keys`: the collected ones.
ReplayOptions replay_options(const ReportRequest& asked, const Plan& plan, const std::vector<SortKey>& keys,
                             const EventSwitch& event_switch, SampleFilter filter);
// Nothing if the recording has no CPU numbers (reported to `listener`). Errors: Usage.
Result<std::optional<SampleFilter>> choose_sample_filter(const SampleSelection& selection, const data::Reader& reader,
                                                         SessionListener& listener);

}  // namespace peregrine
