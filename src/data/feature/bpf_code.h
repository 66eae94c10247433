// The machine code of a recorded BPF program: of all its functions, one behind the other. Views the program's bytes;
// empty when the recording has none.
#pragma once
#include "base/bytes.h"
#include "data/feature/features.h"

namespace peregrine::data {

Bytes bpf_program_code(const BpfProgram& program, ByteOrder order);

}  // namespace peregrine::data
