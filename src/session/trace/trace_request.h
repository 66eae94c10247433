// TraceRequest: what to trace and what to show of it: system calls and other events, their call chains, sums.
//
// Filled from the options of `trace`; read by all tracing and printing code. Main thread only.
#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "capture/target/target.h"
#include "event/config/callgraph.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syscall/call_choice.h"
#include "output/text/trace/trace_line.h"
#include "session/field_report.h"
#include "sys/process/process.h"

namespace peregrine {

struct TraceRequest {
  EventSources sources;
  EventList events;                             // in addition to the system calls
  std::vector<std::string> event_options = {};  // the same as `record` options: -e, --filter
  CallChoice calls;
  std::optional<bool> syscalls;  // whether to trace them; unset: unless other events are named
  TargetRequest target;
  std::vector<Pid> excluded;  // show nothing of these
  std::string cgroup;
  bool inherit = true;
  std::size_t ring_bytes = 0;
  i64 delay_ms = 0;
  std::chrono::milliseconds limit{};  // of the whole trace; zero: none

  bool summary = false, summary_too = false, errno_summary = false;
  SumBy summary_by = SumBy::Thread;
  std::size_t summary_rows = 0;
  TraceStyle style;
  std::optional<unsigned> buffer_bytes;  // bytes of each buffer to show
  double least_ms = 0;
  bool only_failed = false;
  std::string faults;                 // "all", "maj", "min"
  std::string switch_on, switch_off;  // names of events
  bool show_switches = false;
  std::optional<unsigned> max_stack, min_stack;
  std::string call_graph;
  bool kernel_graph = false, sched = false, print_samples = false, own_format = false, bit_lists = false;
  u64 max_events = 0;
  FieldReportRequest report;  // --where, --format, --agg

  // Whether lines have call chains; with only a depth, from copies of the stack. Errors (Usage): invalid call_graph.
  Result<CallgraphRequest> chains() const;
  // Whether to name addresses: of page faults, of callers.
  bool resolves() const;
  // What BPF programs cannot do, even if other events are read at the same time.
  bool wants_samples() const;
  // What they can do with these: other events, and data that explains addresses.
  bool wants_hits() const {
    return !events.empty() || sched || resolves() || !switch_on.empty() || !switch_off.empty();
  }
  // Named events and page faults disable system calls, unless these are requested.
  bool wants_calls() const { return syscalls.value_or((events.empty() && faults.empty()) || calls.any()); }
  // Whether -e names system calls or events: of a recording, only those are shown.
  bool chooses() const { return !events.empty() || calls.any(); }
  // Whether -e names this event of a recording.
  bool names(std::string_view name, const abi::EventAttr& attr) const;
  bool summing() const { return summary || summary_too; }
  // least_ms in nanoseconds; saturates at 64 bits, since no call takes that long.
  u64 least_ns() const { return least_ms < 0x1p64 / 1e6 ? static_cast<u64>(least_ms * 1e6) : ~u64{0}; }
};

}  // namespace peregrine
