// --itrace and --no-itrace, for every command that reads samples: the help text, and decoding by a command's options.
#pragma once
#include <string_view>

#include "auxtrace/itrace.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/recording/recording.h"
#include "session/recording/opened_recording.h"
#include "session/recording/trace_choice.h"

namespace peregrine::cmd {

inline constexpr std::string_view kItraceHelp =
    "decode hardware traces (Intel PT, Intel BTS, Arm SPE, CoreSight) into samples, by letters: i instructions (i10us: "
    "one every 10 µs),"
    " b branches, c calls, r returns, x transactions, w ptwrite, p power, o aux-output events, I interrupts, e "
    "errors, d decoder log, f first-level cache, m last-level cache, t TLB, a remote accesses, M memory accesses,"
    " g callchains (g32: of 32 frames), l last branches (l64: of 64), G and L the same for recorded samples, A "
    "approximate IPC, Z ignore timestamps, sN skip N events, q faster with less detail";

// Like the function of the same name in session/recording, with the symbols of these options. `usual`: what to decode
// by default.
inline Result<> decode_recording(OpenedRecording& recording, const TraceChoice& choice, const ItraceOptions& usual,
                                 const SymbolOptions& symbols, Invocation& call) {
  return decode_recording(
      recording, {.choice = choice, .usual = usual, .symbols = symbol_request(symbols, call.config)}, call.messages);
}

}  // namespace peregrine::cmd
