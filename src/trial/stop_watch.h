// StopWatch: seconds since it was made.
// For trials: the monotonic clock, which nobody sets.
#pragma once
#include <chrono>

namespace peregrine {

class StopWatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace peregrine
