// Folded stacks of two recordings: one line per stack in either, with its weight before and after: the output of
// FlameGraph's difffolded.pl, for flamegraph.pl and inferno.
//
//   load;main;work;memcpy 250000 310000
//
// Names and order of lines are those of folded.h. Pure.
#pragma once
#include "analysis/hist/picture/stack_profile.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct FoldedDifference {
  u32 before = 1, after = 0;  // series of the profile
  bool by_count = false;      // samples instead of their periods
  // Suffixes by kind of code: _[k], _[j], _[i].
  bool mark_kernel = false, mark_jit = false, mark_inlined = false;
};

void print_folded_difference(Sink& out, const StackProfile& profile, const FoldedDifference& request);

}  // namespace peregrine
