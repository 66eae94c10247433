// The evaluation of report's options for one recording: columns, tables and filters. Made once, before the first
// record is read, except for the names of a pipe's events.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/hist/collector/collector.h"
#include "analysis/hist/key/trace_fields.h"
#include "analysis/hist/row/row_table.h"
#include "cmd/report/event_tables.h"
#include "cmd/report/report_options.h"

namespace peregrine::cmd {

struct Plan {
  Columns columns;
  GraphOptions graph;
  bool children = false;
  bool chains = false;     // the recording has callchains
  bool graphs = false;     // and they are shown
  std::string sort_order;  // the keys asked for, or the default ones
  bool branches = false;   // branches are counted, not samples
  bool histories = false;  // branch stacks are a part of the callchains
  bool blocks = false;     // blocks of code between them are
  bool by_cpumode = false;
  bool by_parallelism = false;                              // how many threads ran beside each sample is counted
  std::vector<std::vector<u32>> tables;                     // events of each: one, or a group's members
  std::vector<std::pair<std::string, std::string>> single;  // keys that a filter leaves one value
  std::vector<SortKey> hidden;
  std::vector<std::string> names;
};

// `dynamic`: the fields of the recording's tracepoints; null: they are not known.
Result<Plan> make_plan(const ReportOptions& options, const data::Reader& reader, DynamicKeys* dynamic = nullptr);
// -w: widths of columns, 0 for as wide as needed.
std::vector<unsigned> parse_widths(const std::string& text);
// The table of these events.
RowRequest row_request(const ReportOptions& options, const Plan& plan, const std::vector<u32>& events);
Result<CollectRequest> make_request(const ReportOptions& options, const Plan& plan, const data::Reader& reader);
// Adds the keys that a screen zooms by, behind those that it shows.
void add_zoom_keys(CollectRequest& request);
// The fields of the recording's tracepoints, to be found by make_plan; null: it does not explain any.
std::unique_ptr<TraceFields> recorded_fields(const data::Reader& reader, bool raw);
// `keys`: those that are collected.
ReplayOptions make_replay_options(const ReportOptions& options, const Plan& plan, const std::vector<SortKey>& keys,
                                  const EventSwitch& event_switch, SampleFilter filter);
// What -C and --time say; nothing when a message was printed instead.
Result<std::optional<SampleFilter>> make_filter(const ReportOptions& options, const data::Reader& reader,
                                                Invocation& call);

}  // namespace peregrine::cmd
