// TraceChoice: --itrace and --no-itrace, for every command that reads samples: whether hardware traces are decoded, and
// into what.
#pragma once
#include <optional>

#include "auxtrace/itrace.h"
#include "cmd/option/option.h"
#include "cmd/recording/recording.h"
#include "pipeline/decode/decoded_stream.h"

namespace peregrine::cmd {

struct TraceChoice {
  bool decode = true;
  std::optional<ItraceOptions> asked;  // nothing: the command's own

  // --itrace[=OPTIONS], --no-itrace. Errors: Usage.
  Result<> take(const Use& use);
};

// What commands that sum up make of a trace: samples of instructions with their callers, which recorded samples get as
// well.
ItraceOptions usual_itrace();

// For commands that look at accesses of data.
TraceChoice memory_traces();

// A pipe that announced hardware traces is read to its end, into a temporary file that takes its place: traces are read
// twice. Errors: reading, writing.
Result<> spool_piped_traces(OpenedRecording& recording, Invocation& call);

// Puts the decoded recording in the place of one that holds traces which can be decoded; others stay as they are, which
// is said when decoding was asked for. `usual`: what is decoded when nothing was asked. Errors: reading.
Result<> decode_recording(OpenedRecording& recording, const TraceChoice& choice, const ItraceOptions& usual,
                          const SymbolOptions& symbols, Invocation& call);
// What became of it, after its last record was read.
void tell_decoding(OpenedRecording& recording, Invocation& call);

}  // namespace peregrine::cmd
