// decode_traces: a recording with hardware traces → the same recording with samples of what they tell.
//
//   Order ─▶ records by time ─▶ the machine learns from each; traces are decoded up to it ─▶ RecordingCopy
//
// The traces themselves are left out, and the feature that lists them. Output is in order of time. Memory: a batch, and
// a piece of each trace.
#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "auxtrace/itrace.h"
#include "data/writer/copy_writer.h"
#include "machine/dso/dso.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace_decoder.h"

namespace peregrine {

struct DecodeOptions {
  ItraceOptions itrace;
  SymbolPlaces places;                      // where code is
  bool facts = false;                       // for a reader of ours: TraceOutputOptions
  const std::atomic<bool>* stop = nullptr;  // set by another thread when nobody wants more
};

struct DecodeSummary {
  u64 samples = 0, errors = 0;
  std::vector<std::string> notes;   // what could not be taken over
  std::vector<TraceNote> warnings;  // what was not decoded
};

// Whether traces of this kind can be decoded. Errors: Unsupported, with what this version reads.
Result<> check_decodable(const RecordedTraces& traces);

// `reader` must be at its beginning. Errors: reading stopped in the middle of a record, writing, traces that nobody
// here reads.
Result<DecodeSummary> decode_traces(data::Reader& reader, const RecordedTraces& traces, data::CopyWriter writer,
                                    const DecodeOptions& options);

}  // namespace peregrine
