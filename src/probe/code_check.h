// What is dangerous about a probe in a program: the kernel accepts any byte of its code and any return.
//
// A breakpoint in the middle of an instruction changes what the instruction does, and a return probe replaces the
// return address on the stack, which C++ exceptions and Rust panics then cannot pass.
#pragma once
#include "probe/program_probes.h"

namespace peregrine {

// Usage, with the instruction's start, when the probe is inside an instruction. Code is decoded from the function's
// start, so success says nothing where no symbol covers the place, or no disassembler is installed.
Result<> check_instruction_start(const TraceProbe& probe, ProbeProgram& program);

// True when the file takes part in unwinding for exceptions: it uses the C++ or Rust runtime that does it.
bool may_unwind(const ElfFile& file);

}  // namespace peregrine
