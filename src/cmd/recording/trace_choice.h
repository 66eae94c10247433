// TraceChoice: --itrace and --no-itrace, for every command that reads samples: whether hardware traces are decoded, and
// into what.
#pragma once
#include <optional>

#include "auxtrace/itrace.h"
#include "cli/option/option.h"
#include "cmd/recording/recording.h"
#include "pipeline/decode/decoded_stream.h"

namespace peregrine::cmd {

// Help of the option --itrace.
inline constexpr std::string_view kItraceHelp =
    "decode hardware traces (Intel PT, Arm SPE) into samples, by letters: i instructions (i10us: one each 10 µs),"
    " b branches, c calls, r returns, x transactions, w ptwrite, p power, o aux-output events, I interrupts, e "
    "errors, d decoder log, f first-level cache, m last-level cache, t TLB, a remote accesses, M memory accesses,"
    " g callchains (g32: of 32 frames), l last branches (l64: of 64), G and L the same for recorded samples, A "
    "approximate IPC, Z ignore timestamps, sN skip N events, q faster with less detail";

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
