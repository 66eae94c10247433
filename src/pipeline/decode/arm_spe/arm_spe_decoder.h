// The decoder of Arm SPE traces: see arm_spe_queue.h.
#pragma once
#include <memory>

#include "base/result.h"
#include "pipeline/decode/trace_decoder.h"

namespace peregrine {

// Errors: Malformed.
Result<std::unique_ptr<TraceDecoder>> make_arm_spe_decoder(const TraceSources& sources);

}  // namespace peregrine
