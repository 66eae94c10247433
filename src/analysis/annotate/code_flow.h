// CodeFlow: what the runs that branch stacks tell of say of a function's instructions: which of them branches led to
// and left, and how many cycles they took.
#pragma once
#include <vector>

#include "analysis/annotate/code_run.h"
#include "analysis/annotate/listing.h"

namespace peregrine {

struct LineFlow {
  u64 runs = 0;                              // that passed the instruction,
  u64 next_runs = 0;                         // or the next branch that was taken, from here on
  u64 entered = 0, left = 0, predicted = 0;  // began, or ended there; of those, foreseen
  u64 instructions = 0, cycles = 0;          // of the runs with cycles that passed it
  u64 timed = 0, timed_cycles = 0;           // runs with cycles that ended there
  u32 least = ~0u, most = 0;                 // cycles of one of them

  void add_passing(u64 more_runs, u64 more_instructions, u64 more_cycles);
  // Instructions per cycle; 0: not known.
  double speed() const;
};

struct CodeFlow {
  std::vector<LineFlow> lines;       // by line of the listing; none: no run is known
  u64 instructions = 0, cycles = 0;  // of all runs with cycles

  bool timed() const { return cycles != 0; }
  double speed() const;
  // Of the function's instructions, the share that runs with cycles passed.
  double covered() const;
};

CodeFlow code_flow(const Listing& listing, const std::vector<CodeRun>& runs);

}  // namespace peregrine
