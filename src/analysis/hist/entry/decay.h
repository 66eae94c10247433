// Decay: sums of a live profile fade from one look to the next, so that what is hot now stands above what was hot.
//
// What has faded to nothing is forgotten, with its frames and chains: memory follows what is there, not what ever was.
#pragma once
#include "analysis/hist/entry/hists.h"

namespace peregrine {

struct Fraction {
  u64 numerator = 7, denominator = 8;
};

// All sums and totals times `part`, rounded down; ids are new ones.
Hists faded(const Hists& hists, Fraction part);

}  // namespace peregrine
