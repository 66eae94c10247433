// print_evlist(): the events of a recording, one per line or group, as linux-perf prints them.
#pragma once
#include "base/result.h"
#include "data/reader/reader.h"
#include "output/sink.h"

namespace peregrine {

struct EvlistTextRequest {
  bool group = false;         // groups in braces
  bool all_fields = false;    // all nonzero fields of each attr
  bool frequency = false;     // the frequency or period of each event
  bool trace_fields = false;  // the fields of each tracepoint
};

// Returns whether there are tracepoints. A pipe is read to its end, because it announces events between records.
// Errors: reading.
Result<bool> print_evlist(const EvlistTextRequest& request, data::Reader& reader, Sink& out);

}  // namespace peregrine
