// A canonical order for stacks, independent of which thread saw them first: texts by bytes, frames by name and dso,
// stacks depth first with siblings ordered by frame.
#pragma once
#include <vector>

#include "analysis/hist/picture/stack_profile.h"
#include "base/types.h"

namespace peregrine {

// Sorts texts, frames and stacks of the profile. Returns the new index of each stack; the caller must update weights,
// which it stores in a different form.
std::vector<u32> order_stacks(StackProfile& profile);

}  // namespace peregrine
