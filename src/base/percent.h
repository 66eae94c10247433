// The percentage of a part in a whole; 0 if the whole is 0.
#pragma once
#include "base/types.h"

namespace peregrine {

inline double percent_of(u64 part, u64 whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace peregrine
