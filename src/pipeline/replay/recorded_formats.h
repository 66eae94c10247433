// recorded_formats: how a recording's tracepoints are printed, as far as it explains them.
#pragma once
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"

namespace peregrine {

// Whether it does. In a pipe, and in files of simpleperf, that may come true after the first records.
bool has_formats(const data::Reader& reader);

// Prepared for every tracepoint of the evlist. Empty when the recording carries no formats; an error when they are
// broken.
Result<TraceFormats> recorded_formats(const data::Reader& reader);

}  // namespace peregrine
