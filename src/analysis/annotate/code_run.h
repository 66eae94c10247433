// CodeRun: instructions that ran one after the other, from where a branch led to the next branch that was taken.
//
//   branch stack, the newest first:   C → …   … → B      the run from B to C, and the cycles between both branches
#pragma once
#include <vector>

#include "base/types.h"

namespace peregrine {

struct CodeRun {
  u64 begin = 0, end = 0;        // offsets of its first and its last instruction, from the symbol's start
  u64 count = 0, predicted = 0;  // how often it ran; how often the branch at its end was foreseen
  u64 timed = 0, cycles = 0;     // runs with cycles, and their sum
  u32 least = ~0u, most = 0;     // cycles of one

  void add(const CodeRun& other);
};

// In order of begin and end, with one for each.
void join_equal_runs(std::vector<CodeRun>& runs);

}  // namespace peregrine
