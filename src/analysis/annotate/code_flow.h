// CodeFlow: per-instruction statistics from branch stacks: branches entering and leaving, and cycles.
#pragma once
#include <vector>

#include "analysis/annotate/code_run.h"
#include "analysis/annotate/listing.h"
#include "base/types.h"

namespace peregrine {

struct LineFlow {
  u64 runs = 0;                              // passed the instruction
  u64 next_runs = 0;                         // passed here up to the next taken branch
  u64 entered = 0, left = 0, predicted = 0;  // started or ended there; of the latter, predicted
  u64 instructions = 0, cycles = 0;          // of the timed runs that passed it
  u64 timed = 0, timed_cycles = 0;           // timed runs that ended there
  u32 least = ~0u, most = 0;                 // cycles of one run

  void add_passing(u64 more_runs, u64 more_instructions, u64 more_cycles);
  // Instructions per cycle; 0 if unknown.
  double speed() const;
};

struct CodeFlow {
  std::vector<LineFlow> lines;       // one per line of the listing; empty if no runs are known
  u64 instructions = 0, cycles = 0;  // of all timed runs

  bool timed() const { return cycles != 0; }
  double speed() const;
  // The fraction of the function's instructions that timed runs passed.
  double covered() const;
};

CodeFlow code_flow(const Listing& listing, const std::vector<CodeRun>& runs);

}  // namespace peregrine
