// The machine code of a recorded BPF program: all its functions, concatenated, or empty if it was not recorded. Borrows
// the program's bytes.
#pragma once
#include "base/bytes.h"
#include "data/feature/features.h"

namespace peregrine::data {

Bytes bpf_program_code(const BpfProgram& program, ByteOrder order);

}  // namespace peregrine::data
