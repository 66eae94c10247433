// RunStats: running mean and spread of a quantity over repeated runs.
#pragma once
#include <cmath>

#include "base/types.h"

namespace peregrine {

class RunStats {
 public:
  void add(double value) {
    ++count_;
    const double delta = value - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (value - mean_);
  }
  u64 count() const { return count_; }
  double mean() const { return mean_; }
  // Standard error of the mean; 0 below two values.
  double error() const {
    if (count_ < 2) return 0;
    const auto n = static_cast<double>(count_);
    return std::sqrt(squares_ / (n - 1) / n);
  }
  // The same as a percentage of the mean.
  double error_percent() const { return mean_ == 0 ? 0 : 100.0 * error() / mean_; }

 private:
  u64 count_ = 0;
  double mean_ = 0, squares_ = 0;
};

}  // namespace peregrine
