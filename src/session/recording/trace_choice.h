// TraceChoice: whether to decode the hardware traces of a recording into samples, and into which.
// decode_recording() does it, before anything reads samples.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "auxtrace/itrace.h"
#include "base/result.h"
#include "session/recording/opened_recording.h"
#include "session/recording/symbol_request.h"
#include "session/session_listener.h"

namespace peregrine {

struct TraceChoice {
  bool decode = true;
  std::optional<ItraceOptions> requested = {};  // nothing: the command's default

  // --itrace[=VALUE], or --no-itrace (`negated`). Errors: Usage.
  Result<> take(std::string_view value, bool negated);
};

// The default for commands that aggregate: instruction samples, with callers for these and for recorded samples.
ItraceOptions usual_itrace();

// For commands that show data accesses.
TraceChoice memory_traces();

// A pipe that announced hardware traces is read to its end into an unnamed file in `temporary_folder`, which replaces
// it, because traces are read twice. Errors: reading, writing.
Result<> spool_piped_traces(OpenedRecording& recording, const std::string& temporary_folder, SessionListener& listener);

struct DecodingRequest {
  TraceChoice choice;
  ItraceOptions usual;  // used if nothing was requested
  SymbolRequest symbols;
};
// Replaces a recording that has decodable traces by the decoded one. Others are unchanged; a warning says if traces
// cannot be decoded. Errors: reading.
Result<> decode_recording(OpenedRecording& recording, const DecodingRequest& request, SessionListener& listener);

// Call after the last record. Warns about problems with the decoding.
void tell_decoding(OpenedRecording& recording, SessionListener& listener);

}  // namespace peregrine
