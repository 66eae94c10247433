// Single-steps a program under ptrace, and tells the processors of a Recording what it executes.
//
// One thread runs at a time; with several, each runs for a quantum of instructions, then the next one on the next
// processor.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "support/make_pt_data/side_band.h"

namespace peregrine::support {

struct TraceLimits {
  std::size_t buffer = 1 << 17;        // bytes of trace before the kernel's interrupt to have them read
  std::uint64_t instructions = ~0ull;  // the program is killed after this many instructions
  std::uint64_t quantum = 5000;        // instructions of one thread before switching to the next
};

// Empty: the program was traced to its end, or to the limit. Otherwise the error: only x86-64 is supported.
std::string trace_program(Recording& recording, const TraceLimits& limits);

}  // namespace peregrine::support
