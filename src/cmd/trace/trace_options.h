// The options of trace, and their table.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "capture/bpf/syscall/syscall_tracer.h"
#include "capture/target/target.h"
#include "cmd/frame/command.h"
#include "event/config/callgraph.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syscall/call_choice.h"
#include "output/text/trace/trace_line.h"

namespace peregrine::cmd {

struct TraceRequest {
  EventSources sources;
  EventList events;  // beside the system calls
  std::size_t last_word = 0;
  std::vector<std::string> event_words;  // the same as options of `record`
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
  std::optional<bool> bpf_summary;  // added up in the kernel, or from samples; unset: in the kernel where it can be
  std::size_t summary_rows = 0;
  TraceStyle style;
  std::optional<unsigned> buffer_bytes;  // of each buffer that is shown
  double least_ms = 0;
  bool only_failed = false, tool_stats = false;
  std::string faults;                 // -F: "all", "maj", "min"
  std::string switch_on, switch_off;  // names of events
  bool show_switches = false;
  std::optional<unsigned> max_stack, min_stack;
  std::string call_graph;
  bool kernel_graph = false, sched = false, print_samples = false, own_format = false, bit_lists = false,
       force_btf = false;
  std::string dumped_map;  // --map-dump
  u64 max_events = 0;
  int verbose = 0;
  bool sort_events = false;
  std::string accepted;

  Result<> configure(const Config& config);
  // Whether lines have call chains; with a depth alone from copies of the stack. Errors (Usage): --call-graph's.
  Result<CallgraphRequest> chains() const;
  // Whether addresses are to be named: of page faults, of callers.
  bool resolves() const;
  // What BPF programs do not do, also with other events read beside them.
  bool wants_samples() const;
  // What they do with those: other events, and what explains addresses.
  bool wants_hits() const {
    return !events.empty() || sched || resolves() || !switch_on.empty() || !switch_off.empty();
  }
  // Named events and page faults switch system calls off, unless they are asked for.
  bool wants_calls() const { return syscalls.value_or((events.empty() && faults.empty()) || calls.any()); }
  bool summing() const { return summary || summary_too; }
  // least_ms in nanoseconds; of what 64 bits do not hold, the largest: no call takes as long.
  u64 least_ns() const {
    if (!(least_ms > 0)) return 0;
    return least_ms < 0x1p64 / 1e6 ? static_cast<u64>(least_ms * 1e6) : ~u64{0};
  }
};

// Traces; the exit code. In trace.cc.
Result<int> run_trace(TraceRequest& request, Invocation& call);

}  // namespace peregrine::cmd
