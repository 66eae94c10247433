// convert_recording(): implements `data convert`: decodes hardware traces, selects samples, writes the JSON document or
// the CTF trace (conversion.h), and reports what was written.
#pragma once
#include <string>

#include "base/result.h"
#include "output/sink.h"
#include "session/data/conversion.h"
#include "session/recording/opened_recording.h"
#include "session/recording/symbol_request.h"
#include "session/session_listener.h"

namespace peregrine {

struct ConvertRequest {
  std::string input;      // the recording's name in messages
  std::string json = {};  // the file for a JSON document; "-": standard output; empty: a CTF trace
  CtfRequest ctf = {};
  std::string times = {};  // "start,stop" or "10%-20%": only samples in these spans; empty: all
  bool force = false;      // replace an existing JSON document
  SymbolRequest symbols;
};

// `standard_output` receives a document without a file. For a damaged recording, the document has the samples before
// the damage. Errors: Usage, invalid times; the file exists; as the functions of conversion.h.
Result<> convert_recording(const ConvertRequest& request, OpenedRecording& recording, Sink& standard_output,
                           SessionListener& listener);

}  // namespace peregrine
