// whole_number: converts a double to u64. The numbers come from untrusted files, and a plain cast is undefined for
// values that do not fit.
#pragma once
#include "base/types.h"

namespace peregrine {

// Truncates the fraction. Returns 0 for negative values and nan, and the largest u64 for values that are too large.
constexpr u64 whole_number(double value) {
  constexpr double kEnd = 18446744073709551616.0;
  if (!(value > 0)) return 0;
  return value >= kEnd ? ~u64{0} : static_cast<u64>(value);
}

}  // namespace peregrine
