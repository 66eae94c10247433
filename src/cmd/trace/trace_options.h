// The options of trace, and their table.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "session/trace/trace_request.h"

namespace peregrine::cmd {

struct TraceOptions {
  TraceRequest request;
  std::size_t last_word = 0;             // where the events of the last -e begin
  std::vector<std::string> event_words;  // the events as options of `record`
  bool force = false;
  std::string output, input;
  std::optional<bool> bpf_summary;  // added up in the kernel, or from samples; unset: in the kernel where it can be
  bool tool_stats = false, force_btf = false;
  std::string dumped_map;  // --map-dump
  int verbose = 0;
  bool sort_events = false;
  std::string accepted;

  Result<> configure(const Config& config);
};

// Traces; the exit code. In trace.cc.
Result<int> run_trace(TraceOptions& options, Invocation& call);

}  // namespace peregrine::cmd
