// DelayHistogram: how many delays were how long, in ranges that fit what was seen.
//
// Log: ranges double, from 1 us. Linear: at most kLinearRanges equal ranges; a delay beyond the last one doubles their
// width, and neighbours are joined. Either way a histogram has a fixed size, however many delays it counts.
#pragma once
#include <array>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct DelayRange {
  u64 from = 0, to = 0;  // ns; `to` is not included
  u64 count = 0;
};

class DelayHistogram {
 public:
  enum class Scale : u8 { Log, Linear };
  explicit DelayHistogram(Scale scale) : scale_(scale) {}

  void add(u64 ns);
  u64 total() const { return total_; }
  // From the first range with a delay to the last one; empty ranges between them too.
  std::vector<DelayRange> ranges() const;

 private:
  static constexpr u64 kUnit = 1000;  // ns: the width of the first range
  static constexpr std::size_t kLinearRanges = 32, kLogRanges = 55;

  std::size_t place(u64 ns);
  DelayRange range(std::size_t index) const;

  Scale scale_;
  u64 width_ = kUnit;  // Linear
  u64 total_ = 0;
  std::array<u64, 64> counts_{};
};

}  // namespace peregrine
