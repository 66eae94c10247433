// TraceHits: what a live trace by BPF programs shows in addition to system calls: other events, page faults, run
// times, call chains. Events are sampled by the programs' clock, and all lines are in time order.
//
//   SyscallTracer ─▶ CallMerge ─▶ call() ─▶ the printer, and the call's chain
//   HitStream ────▶ CallMerge ─▶ show() ─▶ TraceEventLines
//           └─▶ LiveMachine: resolves addresses
//
// One thread.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/sample.h"
#include "analysis/trace/call_merge.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "capture/sampling/hit_reader.h"
#include "capture/sampling/hit_stream.h"
#include "capture/target/target.h"
#include "capture/target/workload.h"
#include "event/spec.h"
#include "event/syscall/call.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/dso/dso.h"
#include "machine/resolver/resolver.h"
#include "pipeline/live/live_machine.h"
#include "session/trace/trace_event_lines.h"
#include "session/trace/trace_printer.h"
#include "session/trace/trace_request.h"
#include "sys/process/process.h"

namespace peregrine {

class TraceHits : public CallReader {
 public:
  // `hidden`: processes and threads not to show.
  TraceHits(TraceRequest& request, TracePrinter& printer, std::vector<Pid> hidden)
      : request_(request), printer_(printer), hidden_(std::move(hidden)), lines_(request, printer) {}

  // Errors: events are unknown or cannot be opened.
  Result<> open(Target target, const std::optional<Workload>& workload, SymbolPlaces places);
  Result<> start() { return stream_->start(); }
  Result<> stop() { return stream_->stop(); }
  // Shows calls and hits in time order, up to the time until which all rings have been read; `last`: all of them.
  // Returns false if the printer wants no more.
  bool drain(SyscallTracer& tracer, bool last);
  u64 lost() const { return stream_ ? stream_->lost() : 0; }

  bool call(const TracedCall& call) override;
  bool interrupted(const TracedCall& call) override { return printer_.interrupted(call); }
  void name(i32 pid, i32 tid, std::string_view comm) override { printer_.name(pid, tid, comm); }

 private:
  Result<EventList> wanted_events() const;
  Result<Target> choose_threads(Target target) const;
  Result<> explain(const EventList& events);
  bool is_hidden(u32 pid) const;
  bool show(const EventHit& hit);
  std::span<const u64> chain_of(const CallerStack& caller, const Resolver::Context& context);

  TraceRequest& request_;
  TracePrinter& printer_;
  std::vector<Pid> hidden_;
  TraceEventLines lines_;
  std::optional<TracingData> tracing_;
  std::optional<HitStream> stream_;
  std::optional<LiveMachine> machine_;
  std::optional<CallMerge> merge_;
  abi::Sample caller_;  // the call, as far as it is known
  std::vector<u64> chain_;
};

}  // namespace peregrine
