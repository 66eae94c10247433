// CodeRun: instructions executed in sequence, from the target of a branch to the next taken branch.
//
//   branch stack, newest first:   C → …   … → B      the run from B to C, and the cycles between the two branches
#pragma once
#include <vector>

#include "base/types.h"

namespace peregrine {

struct CodeRun {
  u64 begin = 0, end = 0;        // offsets of the first and last instruction from the symbol's start
  u64 count = 0, predicted = 0;  // executions; times the final branch was predicted
  u64 timed = 0, cycles = 0;     // runs with a cycle count, and their sum
  u32 least = ~0u, most = 0;     // cycles of a single run

  void add(const CodeRun& other);
};

// Sorts by begin and end, and merges equal runs.
void join_equal_runs(std::vector<CodeRun>& runs);

}  // namespace peregrine
