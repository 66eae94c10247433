// Folded stacks of two recordings: one line for each stack of either, with what fell on it before and after: what
// FlameGraph's difffolded.pl writes, for flamegraph.pl and inferno.
//
//   load;main;work;memcpy 250000 310000
//
// Names are as in folded.h; lines are in their order. Pure.
#pragma once
#include "analysis/hist/picture/stack_profile.h"
#include "output/sink.h"

namespace peregrine {

struct FoldedDifference {
  u32 before = 1, after = 0;  // series of the profile
  bool by_count = false;      // samples instead of their periods
  // Marks behind a name, by the kind of code: _[k], _[j], _[i].
  bool mark_kernel = false, mark_jit = false, mark_inlined = false;
};

void print_folded_difference(Sink& out, const StackProfile& profile, const FoldedDifference& request);

}  // namespace peregrine
