// The decoder of Intel PT traces: see intel_pt_queue.h.
#pragma once
#include <memory>

#include "base/result.h"
#include "pipeline/decode/trace_decoder.h"

namespace peregrine {

// Errors: Malformed.
Result<std::unique_ptr<TraceDecoder>> make_intel_pt_decoder(const TraceSources& sources);

}  // namespace peregrine
