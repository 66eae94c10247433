// write_samples(): the events of a trace.dat file as samples of a recording, in rounds of bounded size, and its lost
// events as LOST records.
#pragma once
#include "base/result.h"
#include "data/header/evlist.h"
#include "data/writer/copy_writer.h"
#include "pipeline/bundle/unpack_budget.h"
#include "pipeline/trace_dat/ring_event_fields.h"
#include "pipeline/trace_dat/trace_events.h"

namespace peregrine {

// `evlist`: an event for each tracepoint, with one id. Events that exceed a record are counted as lost.
Result<> write_samples(TraceEvents& events, const RingEventFields& fields, const data::Evlist& evlist,
                       UnpackBudget& budget, data::CopyWriter& writer);

}  // namespace peregrine
