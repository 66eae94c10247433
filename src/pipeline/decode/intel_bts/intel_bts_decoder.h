// The decoder of Intel BTS traces.
#pragma once
#include <memory>

#include "base/result.h"
#include "pipeline/decode/trace_decoder.h"

namespace peregrine {

Result<std::unique_ptr<TraceDecoder>> make_intel_bts_decoder(const TraceSources& sources);

}  // namespace peregrine
