// LiveTrace: traces a command, processes, a user or CPUs as they run: by BPF programs (trace_session.h) if they can do
// what was requested and may be loaded, otherwise by samples (sampled_trace.h). Main thread only.
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
#include "session/trace/trace_request.h"

namespace peregrine {

struct LiveTraceRequest {
  TraceRequest trace;
  std::optional<bool> kernel_sums;  // sums by BPF programs or not; unset: if they can
  bool kernel_types = false;        // structs as BTF describes them; needs BPF programs
  bool file_counts = false;         // says at the end how often paths of descriptors were looked up
  bool tell_means = false;          // says how the calls are traced
};

// Which tasks are traced, and the command to run.
struct LiveTraceSetup {
  std::vector<std::string> command;  // empty: none is started
  std::string path;                  // $PATH, where the command is looked for
  std::string program;               // the name of this program in messages
  SampleSetup samples;
  bool to_file = false;  // lines go to a file, so terminals may be traced as well
};

class LiveTrace {
 public:
  // All must outlive it. The request's target loses what other choices override, with a warning.
  LiveTrace(LiveTraceRequest& request, LiveTraceSetup setup, SessionListener& listener)
      : request_(request), trace_(request.trace), setup_(std::move(setup)), listener_(listener) {}

  // Until the command has ended, everybody traced is gone, or a signal comes; the exit code.
  Result<int> run(Sink& out);

 private:
  // Without a choice and without a command: the whole machine. A user's processes are told apart by the tracer, so that
  // those of the future are traced as well.
  Result<Target> choose_target();
  // `started`: something was traced, so that an error is final.
  Result<int> trace_by_programs(const Target& target, Sink& out, bool& started);
  void report_losses(u64 lost, u64 lost_hits);

  LiveTraceRequest& request_;
  TraceRequest& trace_;
  LiveTraceSetup setup_;
  SessionListener& listener_;
};

}  // namespace peregrine
