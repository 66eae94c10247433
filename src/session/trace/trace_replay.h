// TraceReplay: a trace from samples: of a recording, or of one in progress (trace_stream.h). System calls are
// assembled from raw_syscalls samples; other events are separate lines. For a replay with one worker.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "abi/sample.h"
#include "analysis/trace/call_assembler.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "output/sink.h"
#include "pipeline/replay/replay.h"
#include "session/trace/trace_event_lines.h"
#include "session/trace/trace_printer.h"
#include "session/trace/trace_report.h"
#include "session/trace/trace_request.h"
#include "sys/process/process.h"

namespace peregrine {

// Where the samples come from.
struct TraceReplaySource {
  bool live = false;                       // from the running system
  Pid workload = -1;                       // nothing is shown of that process before its exec; -1: none
  std::vector<Pid> hidden;                 // nor of these, ever
  std::optional<TraceReport> report = {};  // of a live trace
};

class TraceReplay : public ReplaySink {
 public:
  TraceReplay(const TraceRequest& request, const data::Reader& reader, TracePrinter& printer, Sink& out,
              TraceReplaySource source);

  void begin_batch() override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  bool end_batch() override;
  // Errors: TraceEventLines::use_switches.
  Result<> use_switches() { return lines_.use_switches(); }

 private:
  using Kind = TraceEventLines::Kind;
  void learn_events();
  std::span<const u64> callers(const abi::Sample& sample) const;
  bool is_hidden(u32 pid) const { return std::ranges::find(hidden_, static_cast<Pid>(pid)) != hidden_.end(); }
  bool enter(const abi::Sample& sample);
  bool leave(const ReplaySample& replayed, Resolver& resolver);
  bool is_chosen(std::size_t event) const;
  void name_result(const abi::Sample& sample, i64 result, u32 number, Moment moment, Resolver& resolver);
  bool event(const ReplaySample& sample, Resolver& resolver);
  void put_sample(const ReplaySample& sample);

  const TraceRequest& request_;
  const data::Reader& reader_;
  TracePrinter& printer_;
  Sink& out_;
  CallAssembler calls_;
  TraceEventLines lines_;
  std::vector<bool> chosen_;  // by event
  std::optional<TracingData> tracing_;
  bool live_;
  Pid workload_;  // workload that has not executed its program yet
  std::vector<Pid> hidden_;
  bool has_calls_ = false, enough_ = false;
};

}  // namespace peregrine
