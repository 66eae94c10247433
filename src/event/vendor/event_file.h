// Event files: events that a user names, as JSON in the shape of linux-perf's own lists: an array of objects with
// EventName, EventCode, UMask, BriefDescription … (docs/events.md has the table). Objects without EventName are left to
// other readers: a file may hold metrics as well.
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
  std::vector<std::string> problems;  // events left out: "FILE: event 3 'x': UMask is no number"
};

// Errors (Malformed): no JSON, or no array of objects; with the file's name and the byte.
Result<EventFile> parse_event_file(std::string_view text, std::string_view file);

}  // namespace peregrine
