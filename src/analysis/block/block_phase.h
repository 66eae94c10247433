// BlockPhase: the parts of a request's life, named after the letters of blktrace's actions at both ends; and the
// distribution of their durations.
#pragma once
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>

#include "base/types.h"

namespace peregrine {

enum class BlockPhase : u8 { Q2Q, Q2A, Q2G, S2G, G2I, Q2M, I2D, M2D, D2C, Q2C };
inline constexpr std::array<std::string_view, 10> kBlockPhases = {"Q2Q", "Q2A", "Q2G", "S2G", "G2I",
                                                                  "Q2M", "I2D", "M2D", "D2C", "Q2C"};

// Durations in ns. Percentiles come from ranges that are at most 1/32 wide; count, sum, minimum and maximum are exact.
class BlockTimes {
 public:
  void add(u64 duration);
  u64 count() const { return count_; }
  u64 sum() const { return sum_; }
  u64 least() const { return count_ == 0 ? 0 : least_; }
  u64 most() const { return most_; }
  double mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  // The upper bound of the range that this part of the durations (0.99) does not exceed; 0 without any.
  u64 percentile(double part) const;

 private:
  u64 count_ = 0, sum_ = 0, least_ = std::numeric_limits<u64>::max(), most_ = 0;
  std::map<u32, u64> ranges_;
};

using BlockPhaseTimes = std::array<BlockTimes, kBlockPhases.size()>;

}  // namespace peregrine
