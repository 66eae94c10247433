// TotalChange: how a recording's total differs from the baseline's, and how certain that is.
#pragma once
#include <optional>

#include "analysis/diff/change.h"
#include "base/types.h"

namespace peregrine {

struct TotalChange {
  u64 was = 0, is = 0;  // periods
  double ratio = 1;     // new / old
  Interval interval;    // of the ratio; 95 % confidence, from the numbers of samples
  bool real() const { return interval.high < 1 || interval.low > 1; }
};

// Nothing if either has no samples.
std::optional<TotalChange> total_change(WholeWeight was, WholeWeight is);

}  // namespace peregrine
