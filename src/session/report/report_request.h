// ReportRequest: which samples of a recording a profile counts, its rows, and how they look. Filled by the option
// parser of report, top and annotate; immutable while a session uses it.
//
// Texts are option values. Their meaning may depend on the recording, so make_plan() and its neighbours parse them.
#pragma once
#include <optional>
#include <string>

#include "analysis/hist/row/graph_options.h"
#include "base/types.h"

namespace peregrine {

// Which samples to count. Lists are comma-separated; empty: all.
struct SampleSelection {
  std::string comms, dsos, symbols, pids, tids;
  std::string cpus, times;            // as parsed by choose_cpus() and choose_times()
  std::string parallelisms;           // numbers of threads running at the same time: "1,2-4"
  int socket = -1;                    // processor socket; -1: all
  std::optional<std::string> parent;  // regular expression of the sort key `parent`
  bool exclude_other = false;         // only samples with a matching parent
  bool hide_unresolved = false, hide_idle = false;
  bool hosts = true, guests = true;  // of virtual machines
};

// The rows and columns.
struct RowGrouping {
  std::optional<std::string> sort, fields;
  bool children = true;  // callers get the sums of their callees
  bool latency = false;  // weighted by the number of running threads
  bool hierarchy = false;
  bool group = true, group_given = false;  // events of a group share a table
  u32 sort_member = 0;                     // the event of a group that determines the order of rows
  bool memory = false;                     // data accesses
  bool total_cycles = false;               // code blocks between branches
  std::optional<bool> branches;            // count branches; unset: if the recording has branch stacks
  bool raw_trace = false;                  // tracepoints as fields, without print formats
  bool show_samples = false, show_period = false, show_cpu_utilization = false;
  bool relative = false;  // percentages of the filtered samples, not of all
  bool full_source_path = false;
  std::string time_quantum;  // step of the `time` sort key: "100ms"; empty: that
};

// Callchains: how to collect and print them.
struct ChainRequest {
  GraphOptions graph;
  bool graph_given = false, inverted = false;
  bool branch_history = false;  // branch stacks are part of the chains
  bool inlined = true;          // name inlined functions
  bool stitch_branches = false;
  std::optional<unsigned> max_stack;
  std::optional<std::string> ignore_callees;  // regular expression
};

struct ReportLook {
  double percent_limit = 0;
  std::string symbol_filter;  // a part of the symbols that are shown
  std::string separator;      // of columns; empty: columns are padded
  std::string column_widths;
  bool skip_empty = true;       // leave out events without samples
  bool show_reference = false;  // mark events that were recorded with call-graph=no
  bool quiet = false;           // tables only
  bool parameters = false;      // C++ names with their parameters
  bool colors = false;          // of percentages
};

struct ReportRequest {
  SampleSelection selection;
  RowGrouping grouping;
  ChainRequest chains;
  ReportLook look;
  bool whole_stacks = false;   // keep callchains even if no table shows them: for profile formats of other programs
  bool samples_only = false;   // count samples even if the plan would count branches
  bool thread_counts = false;  // collect per-thread counters (record -s)
  bool accessing = false;      // move data breakpoints to the instruction that accessed the data
};

}  // namespace peregrine
