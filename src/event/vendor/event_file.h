// Event files: a user's event definitions as JSON in linux-perf's format: an array of objects with EventName,
// EventCode, UMask, BriefDescription … (table in docs/events.md). Objects without EventName are ignored, since a file
// may also define metrics.
//
// Untrusted text: every field is checked, nothing is executed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/vendor/named_event.h"

namespace peregrine {

struct EventFile {
  std::vector<NamedEvent> events;
  std::vector<std::string> problems;  // skipped events: "FILE: event 3 'x': UMask is not a number"
};

// Errors (Malformed): invalid JSON, or not an array of objects; with file name and byte offset.
Result<EventFile> parse_event_file(std::string_view text, std::string_view file);

}  // namespace peregrine
