// round_step: the steps of scales that people read.
#pragma once
#include "base/types.h"

namespace peregrine {

// Returns the smallest of 1, 2, 5, 10, 20, … that is at least `least`, or `least` itself if it is above 5 × 10^17.
constexpr u64 round_step(u64 least) {
  constexpr u64 kDigits[] = {1, 2, 5};
  for (u64 power = 1; power <= 100'000'000'000'000'000; power *= 10)
    for (const u64 digit : kDigits)
      if (digit * power >= least) return digit * power;
  return least;
}

}  // namespace peregrine
