// Callgrind's profile format: what callgrind_annotate and KCachegrind read.
//
// One cost for each event with samples, then their number ("Samples"); lines where debug information tells them, else
// 0. How often a function was called samples do not say: the number of samples stands there. Names are given once and
// numbered from then on. Pure.
#pragma once
#include "analysis/profile/call_costs.h"
#include "output/sink.h"

namespace peregrine {

void print_callgrind(Sink& out, const Profile& profile, const CallCosts& costs);

}  // namespace peregrine
