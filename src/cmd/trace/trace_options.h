// The options of trace, and their table.
#pragma once
#include <cstddef>
#include <string>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "session/trace/live_trace.h"

namespace peregrine::cmd {

struct TraceOptions {
  LiveTraceRequest live;
  std::size_t last_word = 0;  // where the events of the last -e begin
  bool force = false;
  std::string output, input;
  std::string dumped_map;  // --map-dump
  int verbose = 0;
  bool sort_events = false;
  std::string accepted;

  Result<> configure(const Config& config);
};

// Traces; returns the exit code. In trace.cc.
Result<int> run_trace(TraceOptions& options, Invocation& call);

}  // namespace peregrine::cmd
