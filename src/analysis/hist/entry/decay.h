// Decay: fades the sums of a live profile at each refresh, so that current hot spots rank above earlier ones.
//
// Entries that fade to zero are dropped with their frames and chains, which bounds memory.
#pragma once
#include "analysis/hist/entry/hists.h"
#include "base/types.h"

namespace peregrine {

struct Fraction {
  u64 numerator = 7, denominator = 8;
};

// Multiplies all sums and totals by `part`, rounding down; assigns new ids.
Hists faded(const Hists& hists, Fraction part);

}  // namespace peregrine
