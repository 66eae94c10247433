// Folded stacks: one line for each distinct stack, outermost frame first, its weight at the end: what flamegraph.pl,
// inferno, speedscope and grep read.
//
//   load;main;work;memcpy 250000
//
// A ';' in a name becomes ':', as in FlameGraph's own scripts; names are else as they are shown, with control
// characters escaped. Pure.
#pragma once
#include "analysis/profile/folded_stacks.h"
#include "output/sink.h"

namespace peregrine {

// `by_count`: how many samples instead of their periods.
void print_folded(Sink& out, const FoldedStacks& folded, bool by_count);

}  // namespace peregrine
