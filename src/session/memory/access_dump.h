// dump_accesses(): prints a line of fields for each sample of a recording, as it is read. For mem report -D.
#pragma once
#include <string>

#include "base/result.h"
#include "output/sink.h"
#include "output/text/access/access_lines.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

struct AccessDumpRequest {
  AccessStyle style;
  std::string cpus;  // "0-3"; empty: all
};
// False: samples cannot be selected by CPU, which was reported. Errors: Usage (cpus), a broken file.
Result<bool> dump_accesses(TracedRecording& recording, const AccessDumpRequest& request, Sink& out,
                           SessionListener& listener);

}  // namespace peregrine
