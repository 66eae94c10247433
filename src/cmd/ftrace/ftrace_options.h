// The options of ftrace, and the settings of the kernel's tracer for them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "capture/target/target.h"
#include "capture/tracer/tracer_session.h"
#include "cli/frame/command.h"

namespace peregrine::cmd {

struct FtraceOptions {
  TargetRequest target;
  std::string tracer;
  std::optional<std::string> list;  // -F: a glob, or all
  std::vector<std::string> functions, no_functions, graph_functions, no_graph_functions;
  std::vector<std::string> function_options, graph_options, events;
  std::string buffer_size;
  unsigned delay_ms = 0;
  bool inherit = false;
  // of latency and profile
  bool nanoseconds = false, hide_empty = false, use_bpf = false;
  u64 bucket_range = 0, least = 0, most = 0;
  std::string sort = "total";
  int verbose = 0;
};

// What the options ask for, but for threads. Errors: words that name no option of a tracer, sizes that are none.
Result<TracerPlan> tracer_plan(const FtraceOptions& options, const Target& target, bool some_cpus);

Result<int> run_ftrace(FtraceOptions& options, Invocation& call);

}  // namespace peregrine::cmd
