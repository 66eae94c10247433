// whole_number: converts a double to u64. The numbers come from untrusted files, and a plain cast is undefined for
// values that do not fit.
#pragma once
#include "base/types.h"

namespace peregrine {

// Without its fraction; 0 for what is negative or not a number, the largest u64 for what is larger.
constexpr u64 whole_number(double value) {
  constexpr double kEnd = 18446744073709551616.0;
  if (!(value > 0)) return 0;
  return value >= kEnd ? ~u64{0} : static_cast<u64>(value);
}

}  // namespace peregrine
