// TracerPlan: the settings of a tracer, and apply_plan(), which writes them to its files.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/tracer/trace_folder.h"
#include "sys/process/process.h"

namespace peregrine {

// The text of a file of one event: its filter or one of its triggers.
struct EventSetting {
  std::string event;  // "sched/sched_switch"
  std::string text;
};

struct TracerPlan {
  std::string tracer = "function_graph";
  std::vector<std::string> functions, no_functions;              // globs: set_ftrace_filter, set_ftrace_notrace
  std::vector<std::string> graph_functions, no_graph_functions;  // set_graph_function, set_graph_notrace
  std::vector<Pid> threads;                                      // empty: all
  bool inherit = false;                                          // and their children
  std::string cpu_mask;                                          // hexadecimal; empty for all
  u64 buffer_kb = 0;                                             // per CPU; 0: unchanged
  std::string clock;                                             // empty: unchanged
  std::vector<std::pair<std::string, bool>> options;             // files below options/
  std::optional<u32> depth, threshold_us;                        // for the graph tracer
  std::vector<std::string> events;                               // "sched/sched_switch", "sched"
  std::vector<EventSetting> filters, triggers;
  std::vector<std::string> switches;  // files outside of tracefs that are turned on: /sys/block/vda/trace/enable

  // Whether the tracer traces functions. Only then are the files of its filters read and written.
  bool traces_functions() const { return tracer == "function" || tracer == "function_graph"; }
  // Keeps the worst latency instead of a stream: the trace is read at the end.
  bool measures_latency() const;
  // Whether an instance can do it: all of them have these tracers.
  bool fits_instance() const { return tracer == "function" || tracer == "nop"; }
};

// The files below options/ that the plan changes.
std::vector<std::string> option_files(const TracerPlan& plan);
// All files that it may change in the top-level tracer.
std::vector<std::string> touched_files(const TracerPlan& plan);
// Writes everything, with tracing off. `top`: tracefs itself. Errors name the file that refused, or what is unknown.
Result<> apply_plan(const TracerPlan& plan, const TraceFolder& top, const TraceFolder& folder);
// Turns tracing on, then writes the mark, unless it is empty.
Result<> start_tracing(const TraceFolder& folder, std::string_view mark);

}  // namespace peregrine
