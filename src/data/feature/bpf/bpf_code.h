// The machine code of a recorded BPF program: all its functions, one after the other. Borrows the program's bytes;
// empty if the recording has none.
#pragma once
#include "base/bytes.h"
#include "data/feature/features.h"

namespace peregrine::data {

Bytes bpf_program_code(const BpfProgram& program, ByteOrder order);

}  // namespace peregrine::data
