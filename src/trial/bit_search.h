// Finds the set bits of a bitmap: from one to the next, or by testing each.
#pragma once

namespace peregrine {

struct BitSearch {
  unsigned bits = 0, set = 0;  // size of the map, and number of set bits, evenly spaced
  unsigned loops = 1;
};

// Time in seconds for each method.
double run_next_set_bit(const BitSearch& search);
double run_each_bit(const BitSearch& search);

}  // namespace peregrine
