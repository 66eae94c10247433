// decode_traces: copies a recording, replacing hardware traces by the samples decoded from them.
//
//   Order ─▶ records by time ─▶ applied to the machine; traces are decoded up to each ─▶ RecordingCopy
//
// Drops the traces and the feature that lists them. Output is in time order. Memory: a batch, and a piece of each
// trace.
#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "auxtrace/itrace.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "data/writer/copy_writer.h"
#include "machine/dso/dso.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace_decoder.h"

namespace peregrine {

struct DecodeOptions {
  ItraceOptions itrace;
  SymbolPlaces places;                      // where to find code
  bool facts = false;                       // for our own reader: TraceOutputOptions
  const std::atomic<bool>* stop = nullptr;  // set by another thread to cancel
};

struct DecodeSummary {
  u64 samples = 0, errors = 0;
  std::vector<std::string> notes;   // what could not be copied
  std::vector<TraceNote> warnings;  // what was not decoded
};

// Whether traces of this kind can be decoded. Errors: Unsupported, with a list of what can.
Result<> check_decodable(const RecordedTraces& traces);

// `reader` must be at its start. Errors: a record was truncated, writing failed, or unsupported traces.
Result<DecodeSummary> decode_traces(data::Reader& reader, const RecordedTraces& traces, data::CopyWriter writer,
                                    const DecodeOptions& options);

}  // namespace peregrine
