// Callgrind's profile format, for callgrind_annotate and KCachegrind.
//
// One cost per event with samples, then their number ("Samples"); lines from debug information, else 0. Samples do not
// contain call counts: the number of samples is written instead. Names are written once and then referred to by number.
// Pure.
#pragma once
#include "analysis/profile/call_costs.h"
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

void print_callgrind(Sink& out, const Profile& profile, const CallCosts& costs);

}  // namespace peregrine
