// print_event_attrs(): the perf_event_attr of events, for programs that open events themselves.
#pragma once
#include <string>

#include "base/result.h"
#include "event/source.h"
#include "output/sink.h"
#include "session/session_listener.h"

namespace peregrine {

// Prints a JSON line for each event of this -e list: its name, the index of its group leader, its filter, if any, and
// the bytes of the perf_event_attr that `record` would use, in hexadecimal. Errors: as parse_events() and
// configure_for_record().
Result<> print_event_attrs(const std::string& events, EventSources& sources, Sink& out, SessionListener& listener);

}  // namespace peregrine
