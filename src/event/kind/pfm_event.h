// Parses events in libpfm4's syntax, "INST_RETIRED:ANY_P:u:c=1:i": name, unit masks and modifiers. For --pfm-events,
// and as an alternative syntax in -e.
//
//   events := event (',' event)* with {…} around those of a group     event := [PMU '::'] NAME (':' part)*
//   part   := unit mask | u k h (modes) | e i t intx intxcp [=1] | c=N | ldlat=N | fe_thres=N | period=N | freq=N |
//             precise=N | pinned | excl
#pragma once
#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/term.h"

namespace peregrine {

// Appends the events to `list`, which is unchanged on error. Messages are like those of parse_events.
Result<> parse_pfm_events(std::string_view words, EventSources& sources, EventList& list);

// Parses one event; `column` is where it starts in the user's text.
Parsed<EventSpec> parse_pfm_event(std::string_view text, std::size_t column, EventSources& sources);

}  // namespace peregrine
