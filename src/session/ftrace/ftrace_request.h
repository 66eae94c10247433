// FtraceRequest: what the kernel's function tracers trace, and how it is shown.
#pragma once
#include <chrono>
#include <string>
#include <vector>

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
  std::string buffer_size;                                   // per CPU, with a unit; empty: the kernel's default
  unsigned delay_ms = 0;
  std::chrono::milliseconds limit{};  // of the whole trace; zero: none
  bool inherit = false;
  bool use_bpf = false;  // accepted with a note: the graph tracer measures the same
  // For Latency: duration ranges in microseconds or nanoseconds.
  bool nanoseconds = false, hide_empty = false;
  u64 bucket_range = 0, least = 0, most = 0;
  std::string sort = "total";  // of Profile
  int verbose = 0;
};

}  // namespace peregrine
