// convert_recording: the whole of `data convert`: decodes hardware traces, selects samples, writes the JSON document,
// the CTF trace or the trace.dat file (conversion.h), and reports what was written.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "output/sink.h"
#include "session/data/conversion.h"
#include "session/recording/opened_recording.h"
#include "session/recording/symbol_request.h"
#include "session/session_listener.h"

namespace peregrine {

struct ConvertRequest {
  std::string input;  // the recording's name in messages
  // The file for a JSON document or a timeline; "-": standard output; empty: another format.
  std::string document = {};
  std::optional<TimelineFormat> timeline = {};  // of the document; nothing: JSON
  TraceDatRequest trace_dat = {};               // no file: another format
  CtfRequest ctf = {};
  std::string times = {};  // "start,stop" or "10%-20%": only samples in these spans; empty: all
  bool force = false;      // replace an existing file
  SymbolRequest symbols;
};

// `standard_output` receives a document without a file. For a damaged recording, the document has the samples before
// the damage. Errors: Usage, invalid times; the file exists; as the functions of conversion.h.
Result<> convert_recording(const ConvertRequest& request, OpenedRecording& recording, Sink& standard_output,
                           SessionListener& listener);

}  // namespace peregrine
