// The options of report: struct and table. Filled by the parser, read by report.cc.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/hist/row/graph_options.h"
#include "cli/option/option.h"
#include "cmd/export/picture_options.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"

namespace peregrine::cmd {

struct ReportOptions {
  std::string input;
  SymbolOptions symbols{.stripped_functions = true};
  // what is counted
  SwitchOptions switching;
  int socket = -1;  // -1: all
  std::string comms, dsos, symbol_names, pids, tids, cpus, times;
  std::optional<std::string> parent, ignore_callees;
  bool exclude_other = false, hide_unresolved = false, hide_idle = false, relative = false;
  std::optional<unsigned> max_stack;
  std::string time_quantum;
  // what is shown
  std::optional<std::string> sort, fields;
  bool children = true;
  bool latency = false;
  std::string parallelisms;
  bool hierarchy = false;
  bool total_cycles = false;
  bool group = true;
  bool group_given = false;
  u32 group_sort_member = 0;
  GraphOptions graph;
  bool graph_given = false, inverted = false;
  bool raw_trace = false;
  bool memory = false;  // --mem-mode
  bool branch_history = false;
  std::optional<bool> branches;  // -b; not said: where the recording has branch stacks
  bool show_samples = false, show_period = false, show_cpu_utilization = false;
  bool skip_empty = true;
  bool show_reference = false;
  bool inlined = true, full_source_path = false;
  double percent_limit = 0;
  std::string symbol_filter;
  PictureOptions pictures;
  FormatOptions format;  // --format, -o
  // how
  std::string separator;
  std::string column_widths;
  bool header = false, header_only = false, info = false;
  bool dump = false;  // -D
  bool stats = false, tasks = false, mmaps = false, threads = false;
  bool symbols_report = false;
  bool stdio = false, tui = false;
  bool code_with_type = false;  // annotate's: types of data on the screen of code
  bool live = false;            // top: what comes through the pipe is known beforehand
  bool decoded = false;         // its samples are those of hardware traces, too
  // only said or checked
  std::optional<std::string> source_prefix;
  std::optional<unsigned> source_prefix_strip;
  int browsed_samples = 0;
  bool stitch_lbr = false, accessing = false;
  TraceChoice traces;
  bool quiet = false;
  int verbose = 0;

  // report.* of perfconfig.
  Result<> configure(const Config& config);
};

// Values of options that top has, too.
Result<> set_group_sort_member(ReportOptions& options, const Use& use);  // --group-sort-idx
Result<> set_percentage(ReportOptions& options, const Use& use);
// The value of --percent-limit; 0 where it is negated. Errors: Usage.
Result<double> limit_of(const Use& use);
Result<> set_percent_limit(ReportOptions& options, const Use& use);

// Shows the recording; report.cc.
Result<int> report(ReportOptions& options, Invocation& call);

}  // namespace peregrine::cmd
