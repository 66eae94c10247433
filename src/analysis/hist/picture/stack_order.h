// The one order that the same stacks always have, whichever thread of a replay met them first: texts by their bytes,
// frames by name and dso, stacks depth first with siblings in order of their frames.
#pragma once
#include <vector>

#include "analysis/hist/picture/stack_profile.h"

namespace peregrine {

// Puts texts, frames and stacks of the profile in order. Returns where each stack is now: weights are left to the
// caller, who has them in a form of his own.
std::vector<u32> order_stacks(StackProfile& profile);

}  // namespace peregrine
