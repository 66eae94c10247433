// StepClock: maps times to time steps, without a division if the time is in the same step as the previous one.
#pragma once
#include <algorithm>

#include "base/types.h"

namespace peregrine {

class StepClock {
 public:
  // `length`: of a step in ns.
  explicit StepClock(u64 length) : length_(std::max<u64>(length, 1)) {}

  u64 step_of(u64 time) {
    if (time - begin_ >= length_) {
      step_ = time / length_;
      begin_ = step_ * length_;
    }
    return step_;
  }

 private:
  u64 length_;
  u64 step_ = 0, begin_ = 0;
};

}  // namespace peregrine
