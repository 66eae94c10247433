// CostMeter: top's own share of a CPU, in percent, over intervals that are long enough to mean something. The time that
// starting up took does not count. Pure.
#pragma once
#include <chrono>
#include <optional>

namespace peregrine {

class CostMeter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `used`: CPU seconds so far.
  void start(Time now, double used) { since_ = now, used_ = used; }
  // The share since the last measurement. Sooner than kLeast after it, that one's result: nothing if there is none yet.
  std::optional<double> measure(Time now, double used) {
    const std::chrono::duration<double> passed = now - since_;
    if (passed < kLeast) return percent_;
    percent_ = 100 * (used - used_) / passed.count();
    start(now, used);
    return percent_;
  }

 private:
  static constexpr std::chrono::milliseconds kLeast{500};
  Time since_;
  double used_ = 0;
  std::optional<double> percent_;
};

}  // namespace peregrine
