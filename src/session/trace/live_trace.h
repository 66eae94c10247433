// LiveTrace: traces a command, processes, a user or CPUs as they run: by BPF programs (trace_session.h) if they support
// the request and may be loaded, otherwise by samples (sampled_trace.h). Main thread only.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "output/sink.h"
#include "session/session_listener.h"
#include "session/trace/sampled_trace.h"
#include "session/trace/trace_report.h"
#include "session/trace/trace_request.h"

namespace peregrine {

struct LiveTraceRequest {
  TraceRequest trace;
  std::optional<bool> kernel_sums;  // let BPF programs compute sums; unset: if possible
  bool kernel_types = false;        // show structs as described by BTF; needs BPF programs
  bool file_counts = false;         // report at the end how often descriptors' paths were looked up
  bool tell_means = false;          // report how calls are traced
};

// Which tasks to trace, and the command to run.
struct LiveTraceSetup {
  std::vector<std::string> command;  // empty: do not start a command
  std::string path;                  // $PATH, to find the command
  std::string program;               // this program's name in messages
  SampleSetup samples;
  bool to_file = false;  // output goes to a file, so terminals may be traced as well
};

class LiveTrace {
 public:
  // All arguments must outlive this. Other choices may override parts of the request's target, with a warning.
  LiveTrace(LiveTraceRequest& request, LiveTraceSetup setup, SessionListener& listener)
      : request_(request), trace_(request.trace), setup_(std::move(setup)), listener_(listener) {}

  // Runs until the command has ended, all traced processes have ended, or a signal arrives. Returns the exit code.
  Result<int> run(Sink& out);

 private:
  // Without a target or a command: the whole machine. The tracer itself matches a user's processes, so that future ones
  // are traced as well.
  Result<Target> choose_target();
  // `started`: something was traced, so an error is final.
  Result<int> trace_by_programs(const Target& target, Sink& out, bool& started);
  void report_losses(u64 lost, u64 lost_hits);

  // Errors (Usage): of --where, --format and --agg.
  Result<> make_report();

  LiveTraceRequest& request_;
  TraceRequest& trace_;
  LiveTraceSetup setup_;
  SessionListener& listener_;
  std::optional<TraceReport> report_;
};

}  // namespace peregrine
