// TracerSession: sets up one of the kernel's function tracers for a command, and undoes it afterwards.
//
// The function tracer always gets a separate instance, which disturbs nobody. The graph tracer's filters are global in
// the kernel: for it, tracefs settings are saved and restored (TracerGuard), even after a kill.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/tracer/trace_folder.h"
#include "capture/tracer/tracer_guard.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

struct TracerPlan {
  std::string tracer = "function_graph";
  std::vector<std::string> functions, no_functions;              // globs: set_ftrace_filter, set_ftrace_notrace
  std::vector<std::string> graph_functions, no_graph_functions;  // set_graph_function, set_graph_notrace
  std::vector<Pid> threads;                                      // empty: all
  bool inherit = false;                                          // and their children
  std::string cpu_mask;                                          // hexadecimal; empty for all
  u64 buffer_kb = 0;                                             // per CPU; 0: unchanged
  std::vector<std::pair<std::string, bool>> options;             // files below options/
  std::optional<u32> depth, threshold_us;                        // for the graph tracer
  std::vector<std::string> events;                               // "sched/sched_switch", "sched"
};

class TracerSession {
 public:
  // Applies the plan but leaves tracing off. `mount`: where tracefs is mounted.
  static Result<TracerSession> start(const Root& root, const std::string& mount, const TracerPlan& plan);

  Result<> add_thread(Pid thread);
  Result<> on() { return folder_.set("tracing_on", "1"); }
  Result<> off() { return folder_.set("tracing_on", "0"); }
  const TraceFolder& folder() const { return folder_; }
  // Another user's tracer that this one replaced; empty if none.
  std::string replaced() const { return guard_.replaced(); }
  // Why the next start could not undo this session if it were killed; empty if it could.
  const std::string& unrecorded() const { return guard_.unrecorded(); }
  // Reads the trace into `out`; false if there is no more for now.
  Result<bool> read(std::string& out);
  int fd() const { return pipe_.get(); }
  // Restores everything; returns the files that refused.
  std::vector<std::string> end();

 private:
  TracerSession(TraceFolder top, TraceFolder folder, TracerGuard guard)
      : top_(std::move(top)), folder_(std::move(folder)), guard_(std::move(guard)) {}
  Result<> configure(const TracerPlan& plan);
  Result<> choose_tracer(const std::string& tracer);
  Result<> add_functions(std::string_view file, const std::vector<std::string>& globs);
  Result<> set_options(const TracerPlan& plan);

  TraceFolder top_, folder_;  // tracefs itself, and where we trace
  TracerGuard guard_;
  Fd pipe_;
};

}  // namespace peregrine
