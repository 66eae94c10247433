// TracepointRecording: how to call `record` for an analysis of kernel tracepoints: the tracepoints that it needs and
// this kernel has, and the options that go with them. The analyses are listed below.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/work/work_order.h"
#include "base/result.h"
#include "session/recording/tracepoint/recordable_tracepoints.h"
#include "sys/root.h"

namespace peregrine {

struct TracepointRecording {
  std::vector<std::string> arguments;  // for `record`, without the user's
  RecordableTracepoints tracepoints;   // explains a failure of `record`, by cause_of()
};

// sched: the events of linux-perf 6.1.
TracepointRecording scheduler_recording(const Root& root = Root());

// lock: the lockdep events, else the contention tracepoints. Errors: Unsupported, the kernel has neither.
Result<TracepointRecording> lock_recording(const Root& root = Root());

// kmem: small allocations, pages, or both.
TracepointRecording memory_recording(bool slabs, bool pages, const Root& root = Root());

// kwork. Task switches are needed for the usage of CPUs.
struct RecordedWork {
  WorkKinds kinds = {true, true, true};
  bool switches = false;
};
// "irq,softirq,workqueue,sched"; empty: all kinds of work, no switches. Errors: Usage, an unknown kind.
Result<RecordedWork> parse_recorded_work(std::string_view words);
TracepointRecording work_recording(const RecordedWork& work, const Root& root = Root());

// kvm stat. Its live view samples the same tracepoints, each appended to `words` after "-e".
TracepointRecording guest_recording(const Root& root = Root());
void add_guest_events(const RecordableTracepoints& there, std::vector<std::string>& words);

// timechart: the events of linux-perf 6.1, and more system calls.
struct RecordedChart {
  bool tasks = true, power = true;  // what CPUs did: which tasks they ran, and their idle states and frequencies
  bool io_only = false;             // or instead: system calls that wait for devices and networks
  bool chains = false;
};
TracepointRecording chart_recording(const RecordedChart& chart, const Root& root = Root());

}  // namespace peregrine
