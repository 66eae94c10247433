// TraceContents: what a first pass over a trace.dat file's events finds: the tracepoints that have events, the span of
// time, whether stacks were recorded, and names of threads that the file's list lacks.
#pragma once
#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "base/types.h"
#include "data/trace_dat/trace_dat.h"
#include "pipeline/trace_dat/trace_events.h"

namespace peregrine {

struct TraceContents {
  std::set<u32> ids;
  u64 first = 0, last = 0;  // times
  u64 events = 0;
  bool stacks = false, functions = false;  // functions: events of the function tracers
  std::map<u32, std::string> names;        // of threads
};

// Reads `events` to the end. Errors: reading.
Result<TraceContents> survey_events(TraceEvents& events, const data::TraceDat& file, const RingEventFields& fields);

}  // namespace peregrine
