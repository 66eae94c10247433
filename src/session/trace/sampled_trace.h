// Traces from samples: of a recording, or live, if BPF programs cannot trace (TraceRequest::wants_samples) or may
// not be loaded. A live trace reads what TraceStream records; another thread controls the stream. Main thread only.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/target/target.h"
#include "output/sink.h"
#include "session/recording/opened_recording.h"
#include "session/recording/symbol_request.h"
#include "session/session_listener.h"
#include "session/trace/trace_replay.h"
#include "session/trace/trace_report.h"
#include "session/trace/trace_request.h"

namespace peregrine {

// Where the lines of a sampled trace go, and where its names come from.
struct SampleSetup {
  SymbolRequest symbols;
  bool terminal = false;  // output goes to a terminal, in colour
};

// Reads the recording to its end: prints lines, then the sums if requested, then warnings about losses.
Result<> show_samples(const TraceRequest& request, const SampleSetup& setup, OpenedRecording& recording, Sink& out,
                      TraceReplaySource source, SessionListener& listener);

struct SampledTraceSetup {
  SampleSetup samples;
  Target target;
  std::vector<std::string> command;  // empty: do not start a command
  std::string program;               // the name of `record` in messages
  std::optional<TraceReport> report = {};
};

// Traces live until the command has ended or a signal arrives. Returns the exit code. Errors: of the command, the
// recorder, or the request (Unsupported: a cgroup).
Result<int> trace_by_samples(const TraceRequest& request, const SampledTraceSetup& setup, Sink& out,
                             SessionListener& listener);

// Denied: this process may not read the system call tracepoints. Without this check, the error would name events that
// the user never typed.
Result<> check_call_events(const TraceRequest& request);

}  // namespace peregrine
