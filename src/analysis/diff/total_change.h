// TotalChange: how much more or less one recording counted in all than the baseline, and how sure that is.
#pragma once
#include <optional>

#include "analysis/diff/change.h"

namespace peregrine {

struct TotalChange {
  u64 was = 0, is = 0;  // periods
  double ratio = 1;     // new to old
  Interval interval;    // of the ratio, 95 % confidence, by the numbers of samples
  bool real() const { return interval.high < 1 || interval.low > 1; }
};

// Nothing where one of the two has no samples.
std::optional<TotalChange> total_change(WholeWeight was, WholeWeight is);

}  // namespace peregrine
