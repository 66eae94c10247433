// Runs a program step by step under ptrace, and tells the processors of a Recording what it executes.
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
  std::size_t buffer = 1 << 17;        // bytes of trace before the kernel interrupts to have them read
  std::uint64_t instructions = ~0ull;  // the program is killed after so many
  std::uint64_t quantum = 5000;        // instructions of one thread before the next one runs
};

// Empty: the program was traced to its end, or to the limit. Otherwise what went wrong: only x86-64 can do this.
std::string trace_program(Recording& recording, const TraceLimits& limits);

}  // namespace peregrine::support
