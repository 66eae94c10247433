// TracerSession: one of the kernel's function tracers, set up for a command and undone after it.
//
// The function tracer gets an instance of its own, which disturbs nobody; without one it does not start. The graph
// tracer's filters exist once in the kernel: there the settings of tracefs are kept and put back (TracerGuard), also
// after a kill.
#pragma once
#include <optional>

#include "capture/tracer/tracer_guard.h"
#include "sys/process/process.h"

namespace peregrine {

struct TracerPlan {
  std::string tracer = "function_graph";
  std::vector<std::string> functions, no_functions;              // globs: set_ftrace_filter, set_ftrace_notrace
  std::vector<std::string> graph_functions, no_graph_functions;  // set_graph_function, set_graph_notrace
  std::vector<Pid> threads;                                      // empty: all
  bool inherit = false;                                          // and their children
  std::string cpu_mask;                                          // hexadecimal; empty: all
  u64 buffer_kb = 0;                                             // of each CPU; 0: as it is
  std::vector<std::pair<std::string, bool>> options;             // files below options/
  std::optional<u32> depth, threshold_us;                        // of the graph tracer
  std::vector<std::string> events;                               // "sched/sched_switch", "sched"
};

class TracerSession {
 public:
  // All of the plan but tracing itself, which is off. `mount`: where tracefs is.
  static Result<TracerSession> start(const Root& root, const std::string& mount, const TracerPlan& plan);

  Result<> add_thread(Pid thread);
  Result<> on() { return folder_.set("tracing_on", "1"); }
  Result<> off() { return folder_.set("tracing_on", "0"); }
  const TraceFolder& folder() const { return folder_; }
  // The tracer that ran for somebody else before, in place of which this one runs; empty for none.
  std::string replaced() const { return guard_.replaced(); }
  // Why the next start could not undo this session if all of it were killed; empty when it could.
  const std::string& unrecorded() const { return guard_.unrecorded(); }
  // Reads what has been traced into `out`: false when there is no more for now.
  Result<bool> read(std::string& out);
  int fd() const { return pipe_.get(); }
  // Puts everything back; the files that would not.
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
