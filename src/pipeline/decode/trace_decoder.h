// TraceDecoder: decodes one kind of hardware trace: a queue per trace of a recording, and shared state.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "abi/side_band.h"
#include "auxtrace/itrace.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace/trace_output.h"
#include "pipeline/decode/trace/trace_queue.h"

namespace peregrine {

// Inputs of decoders; all must outlive them.
struct TraceSources {
  const data::Reader& reader;
  const RecordedTraces& traces;
  const ItraceOptions& itrace;
  const Machine& machine;  // as of the records applied so far
  TraceOutput& out;
};

// Something not decoded, and how to fix it.
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
  // Per-CPU traces, shared by threads; else per-thread.
  bool per_cpu() const { return per_cpu_; }
  // Traces without times: a thread's trace is decoded when it exits.
  bool timeless() const { return timeless_; }
  // Samples without times: readers keep them in place.
  bool untimed() const { return untimed_; }
  // Adds trace data to a recorded sample; returns whether it did so and wrote the sample.
  virtual bool edit(const abi::RecordView& sample) {
    static_cast<void>(sample);
    return false;
  }
  // Handles a side-band record of `event`.
  virtual void learn(const abi::SideBand& record, u32 event) {
    static_cast<void>(record);
    static_cast<void>(event);
  }
  // Call at the end.
  virtual std::vector<TraceNote> notes() const { return {}; }

 protected:
  // Adds a queue per trace, built from its pieces: std::unique_ptr<TraceQueue> make(std::vector<TracePiece>).
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

// Whether there is a decoder for this type.
bool is_decoded(TraceType type);
Error not_decoded(TraceType type);
// Errors: Malformed, the recording does not describe its traces; Unsupported, no decoder.
Result<std::unique_ptr<TraceDecoder>> make_trace_decoder(const TraceSources& sources);
// The number of the event that recorded traces with that attr.type. Errors: Malformed.
Result<u32> traced_event(const TraceSources& sources, u32 pmu_type);

}  // namespace peregrine
