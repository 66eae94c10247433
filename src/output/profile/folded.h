// Folded stacks: one line per distinct stack, outermost frame first, then its weight, for flamegraph.pl, inferno,
// speedscope and grep.
//
//   load;main;work;memcpy 250000
//
// A ';' in a name becomes ':', as in FlameGraph's scripts; otherwise names are as displayed, with control characters
// escaped. Pure.
#pragma once
#include "analysis/profile/folded_stacks.h"
#include "output/sink.h"

namespace peregrine {

// `by_count`: write numbers of samples instead of periods.
void print_folded(Sink& out, const FoldedStacks& folded, bool by_count);

}  // namespace peregrine
