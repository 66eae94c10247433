// recorded_formats: the print formats of a recording's tracepoints.
#pragma once
#include "base/result.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"

namespace peregrine {

// Whether the recording has formats. In pipes and simpleperf files, they may come after the first records.
bool has_formats(const data::Reader& reader);

// Formats prepared for all tracepoints of the evlist. Empty if the recording has no formats; an error if they are
// broken.
Result<TraceFormats> recorded_formats(const data::Reader& reader);

}  // namespace peregrine
