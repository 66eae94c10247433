// TraceDecoder: the decoder of one kind of hardware trace: a queue for each trace of a recording, and what they share.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/side_band.h"
#include "auxtrace/itrace.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace/trace_output.h"
#include "pipeline/decode/trace/trace_queue.h"

namespace peregrine {

// What decoders are given. All of it outlives them.
struct TraceSources {
  const data::Reader& reader;
  const RecordedTraces& traces;
  const ItraceOptions& itrace;
  const Machine& machine;  // as far as it was told
  TraceOutput& out;
};

// What a decoder did not do, and what helps.
struct TraceNote {
  std::string text, hint;
};

class TraceDecoder {
 public:
  struct Queue {
    std::unique_ptr<TraceQueue> trace;
    u32 cpu = 0, tid = 0;
  };

  virtual ~TraceDecoder() = default;
  std::vector<Queue>& queues() { return queues_; }
  // Traces are those of CPUs, which change hands; else of threads.
  bool per_cpu() const { return per_cpu_; }
  // Nothing says when things happened: a thread's trace is told when it exits.
  bool timeless() const { return timeless_; }
  // Its samples have no time: readers take them where they are.
  bool untimed() const { return untimed_; }
  // A recorded sample that gets something of the trace; whether it was put out with that.
  virtual bool edit(const abi::RecordView& sample) {
    static_cast<void>(sample);
    return false;
  }
  // What the kernel recorded beside the trace; `event` wrote the record.
  virtual void learn(const abi::SideBand& record, u32 event) {
    static_cast<void>(record);
    static_cast<void>(event);
  }
  // After all was told.
  virtual std::vector<TraceNote> notes() const { return {}; }

 protected:
  // A queue for each trace, made of its pieces: std::unique_ptr<TraceQueue> make(std::vector<TracePiece>).
  template <class Make>
  void add_queues(const RecordedTraces& traces, Make make) {
    for (std::vector<TracePiece>& pieces : pieces_by_queue(traces)) {
      const u32 cpu = pieces.front().cpu, tid = pieces.front().tid;
      queues_.push_back({make(std::move(pieces)), cpu, tid});
    }
  }

  std::vector<Queue> queues_;
  bool per_cpu_ = false, timeless_ = false, untimed_ = false;
};

// Whether there is a decoder for it.
bool is_decoded(TraceType type);
Error not_decoded(TraceType type);
// Errors: Malformed, traces that their recording does not describe; Unsupported, those that are not decoded.
Result<std::unique_ptr<TraceDecoder>> make_trace_decoder(const TraceSources& sources);
// The event that recorded traces with that attr.type, by number. Errors: Malformed.
Result<u32> traced_event(const TraceSources& sources, u32 pmu_type);

}  // namespace peregrine
