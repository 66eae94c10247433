// How a decoded arm64 instruction uses registers and memory.
#pragma once
#include <capstone/capstone.h>

#include "insn/data_flow.h"

namespace peregrine {

// `decoded` must have details.
void describe_arm64_data_flow(const cs_insn& decoded, DataFlow& flow);

}  // namespace peregrine
