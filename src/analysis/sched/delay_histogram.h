// DelayHistogram: the distribution of delays, in ranges that adapt to the data.
//
// Log: ranges double, starting at 1 us. Linear: at most kLinearRanges equal ranges; a delay beyond the last doubles the
// width by merging neighbours. The size is fixed regardless of the number of delays.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct DelayRange {
  u64 from = 0, to = 0;  // ns, excluding `to`
  u64 count = 0;
};

class DelayHistogram {
 public:
  enum class Scale : u8 { Log, Linear };
  explicit DelayHistogram(Scale scale) : scale_(scale) {}

  void add(u64 ns);
  u64 total() const { return total_; }
  // The ranges from the first to the last with a delay, including empty ones between.
  std::vector<DelayRange> ranges() const;

 private:
  static constexpr u64 kUnit = 1000;  // ns: width of the first range
  static constexpr std::size_t kLinearRanges = 32, kLogRanges = 55;

  std::size_t place(u64 ns);
  DelayRange range(std::size_t index) const;

  Scale scale_;
  u64 width_ = kUnit;  // Linear
  u64 total_ = 0;
  std::array<u64, 64> counts_{};
};

}  // namespace peregrine
