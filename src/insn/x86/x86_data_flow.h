// How a decoded x86-64 instruction uses registers and memory.
#pragma once
#include "insn/data_flow.h"
#include "insn/x86/x86_instruction.h"

namespace peregrine {

void describe_x86_data_flow(const X86Instruction& x86, DataFlow& flow);

}  // namespace peregrine
