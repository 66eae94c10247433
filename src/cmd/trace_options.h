// What the user asks of trace: its options, and the table that fills them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/syscall_tracer.h"
#include "capture/target.h"
#include "cmd/command.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syscall/call_choice.h"
#include "output/text/trace_line.h"

namespace peregrine::cmd {

struct TraceRequest {
  EventSources sources;
  EventList events;  // beside the system calls
  std::size_t last_word = 0;
  CallChoice calls;
  std::optional<bool> syscalls;  // --syscalls, --no-syscalls
  TargetRequest target;
  std::vector<Pid> excluded;  // --filter-pids
  std::string cgroup;
  bool inherit = true, force = false;
  std::string output, input;
  std::size_t ring_bytes = 0;
  i64 delay_ms = 0;

  bool summary = false, summary_too = false, errno_summary = false;
  SumBy summary_by = SumBy::Thread;
  std::size_t summary_rows = 0;
  TraceStyle style;
  std::optional<unsigned> buffer_bytes;  // of each buffer that is shown
  double least_ms = 0;
  bool only_failed = false, tool_stats = false;
  u64 max_events = 0;
  int verbose = 0;
  bool sort_events = false;
  std::string accepted;

  Result<> configure(const Config& config);
  bool summing() const { return summary || summary_too; }
};

// Traces; the exit code. In trace.cc.
Result<int> run_trace(TraceRequest& request, Invocation& call);

}  // namespace peregrine::cmd
