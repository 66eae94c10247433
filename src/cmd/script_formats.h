// The formats of a recording's tracepoints.
#pragma once
#include "data/reader.h"
#include "event/tracing_data.h"

namespace peregrine::cmd {

// None where the recording has none.
TracingData recorded_formats(const data::Reader& reader);

}  // namespace peregrine::cmd
