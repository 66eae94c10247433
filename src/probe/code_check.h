// Checks for dangerous probes in programs. The kernel accepts a probe on any byte of the code and on any return.
//
// A breakpoint in the middle of an instruction changes what the instruction does. A return probe replaces the return
// address on the stack, and C++ exceptions and Rust panics cannot unwind past it.
#pragma once
#include "base/result.h"
#include "probe/definition/trace_probe.h"
#include "probe/program_probes.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// Returns a Usage error with the instruction's start if the probe is inside an instruction. It decodes from the
// function's start, so success proves nothing if no symbol covers the place or no disassembler is installed.
Result<> check_instruction_start(const TraceProbe& probe, ProbeProgram& program);

// True if the file uses the C++ or Rust unwinder, so that exceptions may pass through its functions.
bool may_unwind(const ElfFile& file);

}  // namespace peregrine
