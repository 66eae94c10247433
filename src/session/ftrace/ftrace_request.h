// FtraceRequest: what the kernel's function tracers trace, and how it is shown.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/function/call_statistics.h"
#include "base/types.h"
#include "capture/target/target.h"

namespace peregrine {

// Every call as a line, or only call durations: of one function as a histogram, of several as a table.
enum class FtraceMode { Trace, Latency, Profile };

struct FtraceRequest {
  FtraceMode mode = FtraceMode::Trace;
  TargetRequest target;
  std::vector<std::string> command;  // empty: trace until a signal comes
  std::string tracer;                // empty: depends on the functions
  std::vector<std::string> functions, no_functions, graph_functions, no_graph_functions;
  std::vector<std::string> function_options, graph_options;  // comma-separated options
  std::vector<std::string> events;                           // "system:event", globs
  struct Filter {
    std::size_t events = 0;  // index of the member of `events` that it applies to
    std::string text;
  };
  std::vector<Filter> filters;
  std::vector<std::string> triggers;  // "system:event:traceoff if …"
  std::string mark;                   // written into the trace at its start
  std::string key;          // latency of events: a field of both, or two separated by a comma; empty: the thread
  std::string clock;        // empty: the kernel's
  std::string buffer_size;  // of each CPU, with a unit; empty: the kernel's
  unsigned delay_ms = 0;
  std::chrono::milliseconds limit{};  // of the whole trace; zero: none
  bool inherit = false;
  bool use_bpf = false;  // accepted with a note: the graph tracer measures the same
  // For Latency: duration ranges in microseconds or nanoseconds.
  bool nanoseconds = false, hide_empty = false;
  u64 bucket_range = 0, least = 0, most = 0;
  FunctionOrder order = FunctionOrder::Total;  // of Profile
  int verbose = 0;

  // Whether it says what to trace, or how; a mark changes nothing.
  bool sets_anything() const {
    const bool tracing = !events.empty() || !triggers.empty() || !tracer.empty() || !functions.empty() ||
                         !no_functions.empty() || !graph_functions.empty() || !no_graph_functions.empty() ||
                         !function_options.empty() || !graph_options.empty();
    const bool where = target.system_wide || !target.cpus.empty() || !target.pids.empty() || !target.tids.empty();
    return tracing || where || inherit || !clock.empty() || !buffer_size.empty() || delay_ms != 0 || limit.count() != 0;
  }
  // `latency -e A,B`: the time between events instead of that of a function.
  bool measures_events() const { return mode == FtraceMode::Latency && !events.empty(); }
};

}  // namespace peregrine
