// TraceEventLines: the parts of a trace other than system calls: lines of other events and of page faults, call chains
// below lines, run times of threads. Fed in time order by the code that reads a recording (trace_replay.h) or traces
// live (trace_hits.h). One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "event/print/print_names.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/event_switch.h"
#include "session/trace/trace_event.h"
#include "session/trace/trace_printer.h"
#include "session/trace/trace_request.h"
#include "sys/process/process.h"

namespace peregrine {

class TraceEventLines {
 public:
  enum class Kind : u8 { Enter, Leave, Runtime, MinorFault, MajorFault, Other };
  // Where a sample happened.
  struct Place {
    Resolver& resolver;
    const Resolver::Context& context;
  };

  TraceEventLines(const TraceRequest& request, TracePrinter& printer) : request_(request), printer_(printer) {}

  // Adds the next event of the list; `name` and `tracing` as in TracedEvent. `own_kernel`: it comes from the running
  // kernel, which provides names for enums.
  void add(std::string_view name, const abi::EventAttr& attr, const TracingData* tracing, bool own_kernel);
  std::size_t size() const { return events_.size(); }
  const std::string& name(std::size_t event) const { return events_[event].event.name(); }
  Kind kind(std::size_t event) const { return events_[event].kind; }
  bool is_fault(std::size_t event) const { return kind(event) == Kind::MinorFault || kind(event) == Kind::MajorFault; }
  // --switch-on and --switch-off. Errors (NotFound): the request names events that were not added.
  Result<> use_switches();
  // Whether they suppress the next item: a sample of that event, or a system call if there is no number.
  bool discards(std::optional<std::size_t> event);
  // --min-stack
  bool is_deep_enough(std::span<const u64> callchain, const Place& place);

  // Whether it gets a line; counts towards /nr=N/.
  bool take(std::size_t event);
  // Prints its line and call chain. `durations`: leave room for durations. False: enough was printed.
  bool put(std::size_t event, const abi::Sample& sample, ByteOrder order, const Place& place, bool durations);
  void put_chain(std::span<const u64> callchain, const Place& place);
  // Counts a page fault for the summary.
  void add_fault(std::size_t event, Pid tid) { printer_.summary().add_fault(tid, kind(event) == Kind::MajorFault); }
  // Adds the run time of a sched_stat_runtime sample.
  void add_runtime(std::size_t event, const abi::Sample& sample, ByteOrder order);

 private:
  bool put_line(std::size_t event, const abi::Sample& sample, ByteOrder order, const Place& place, bool durations);
  // The same for a report (--format, --agg, --where).
  bool report(std::size_t event, const abi::Sample& sample, ByteOrder order, const Place& place, bool durations);
  struct Known {
    Kind kind = Kind::Other;
    TracedEvent event;
  };
  Kind kind_of(const std::string& name, const abi::EventAttr& attr) const;

  const TraceRequest& request_;
  TracePrinter& printer_;
  std::vector<Known> events_;
  std::optional<PrintNames> devices_;  // of this machine, once they are needed
  EventSwitch switch_;
  std::vector<FrameId> frames_;
  std::vector<u64> ips_;
};

}  // namespace peregrine
