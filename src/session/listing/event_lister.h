// list_events(): lists the events and metrics that this system offers, of all kinds or those that the patterns select.
//
//   words ──EventLister──▶ catalogue(kind, filter) ──▶ EventListText, EventListJson, names or counts
//
// Each pattern is tried in this order: a kind, SYSTEM:EVENT, a raw code (r2c4), part of a name, a subsystem. A pattern
// that matches nothing gets a note, except in output for programs.
#pragma once
#include "base/result.h"
#include "base/types.h"
#include "event/kind/catalogue.h"
#include "output/sink.h"
#include "session/listing/list_request.h"
#include "session/session_listener.h"

namespace peregrine {

// Tries to open such a counter for this process, and closes it again. Without permission for the kernel, user space
// suffices.
bool can_open_counter(u32 type, u64 config);

// `can_open`: see catalogue(); can_open_counter outside tests. Errors: the patterns select tracepoints, but these
// cannot be read.
Result<> list_events(ListRequest& request, const CanOpen& can_open, Sink& out, SessionListener& listener);

}  // namespace peregrine
