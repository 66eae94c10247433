// Finding the bits that are set in a bitmap: from one to the next, and by looking at each.
#pragma once
#include "base/types.h"

namespace peregrine {

struct BitSearch {
  unsigned bits = 0, set = 0;  // how long the map is, and how many of its bits are set, spread evenly
  unsigned loops = 1;
};

// Seconds for each way.
double run_next_set_bit(const BitSearch& search);
double run_each_bit(const BitSearch& search);

}  // namespace peregrine
