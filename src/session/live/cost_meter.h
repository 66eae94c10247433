// CostMeter: top's own share of a CPU, in percent, measured over intervals long enough to be meaningful. Excludes the
// time spent on starting up. Pure.
#pragma once
#include <chrono>
#include <optional>

namespace peregrine {

class CostMeter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `used`: CPU seconds so far.
  void start(Time now, double used) { since_ = now, used_ = used; }
  // The share since the last measurement. If that was less than kLeast ago, returns its result, or nothing before the
  // first measurement.
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
