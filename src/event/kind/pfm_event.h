// Events in libpfm4's words, "INST_RETIRED:ANY_P:u:c=1:i": the name, its unit masks, and what to do with them. For
// --pfm-events, and as second spelling in -e.
//
//   events := event (',' event)* with {…} around those of a group     event := [PMU '::'] NAME (':' part)*
//   part   := unit mask | u k h (modes) | e i t intx intxcp [=1] | c=N | ldlat=N | fe_thres=N | period=N | freq=N |
//             precise=N | pinned | excl
#pragma once
#include <string_view>

#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/term.h"

namespace peregrine {

// Appends them to `list`; on error it is as before. The message is as that of parse_events.
Result<> parse_pfm_events(std::string_view words, EventSources& sources, EventList& list);

// One event; `column` is where it begins in the user's words.
Parsed<EventSpec> parse_pfm_event(std::string_view text, std::size_t column, EventSources& sources);

}  // namespace peregrine
