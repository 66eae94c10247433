// Block I/O of the running system: each event as a line, or a table again and again. For blk live and blk top. Main
// thread only.
#pragma once
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "event/source.h"
#include "event/spec.h"
#include "output/sink.h"
#include "session/block/block_choice.h"
#include "session/block/block_names.h"
#include "session/record/record_request.h"
#include "session/session_listener.h"

namespace peregrine {

struct BlockWatchRequest {
  BlockChoice choice;
  bool table = false;          // instead of lines
  double seconds = 1;          // between tables
  unsigned rows = 20;          // of a table
  bool clears_screen = false;  // before each table
  int keys = -1;               // a terminal; -1: none
};
// `record` says how to sample, and `events` are the tracepoints of block I/O, with their fields. `sources` must outlive
// the call. Errors: as RecordingPlan; events that cannot be opened; an output that fails.
Result<> watch_block_events(const BlockWatchRequest& request, const BlockNames& names, const RecordRequest& record,
                            EventSources& sources, EventList events, Sink& out, SessionListener& listener);

}  // namespace peregrine
