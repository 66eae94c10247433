// The decoder of CoreSight traces (ETMv4, ETE): see coresight_queue.h.
#pragma once
#include <memory>

#include "base/result.h"
#include "pipeline/decode/trace_decoder.h"

namespace peregrine {

// Errors: Malformed; Unsupported, OpenCSD is missing.
Result<std::unique_ptr<TraceDecoder>> make_coresight_decoder(const TraceSources& sources);

}  // namespace peregrine
