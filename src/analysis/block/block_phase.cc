#include "analysis/block/block_phase.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace peregrine {

namespace {

// Values below 64 have a range each; above, each power of two is cut into 32.
constexpr unsigned kStepBits = 5;

u32 range_of(u64 value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (width <= kStepBits + 1) return static_cast<u32>(value);
  const unsigned shift = width - kStepBits - 1;
  return (shift << kStepBits) + static_cast<u32>(value >> shift);
}

// The largest value of a range.
u64 end_of(u32 range) {
  if (range < (2u << kStepBits)) return range;
  const u32 shift = (range >> kStepBits) - 1;
  const u64 step = (range & ((1u << kStepBits) - 1)) + (u64{1} << kStepBits);
  return ((step + 1) << shift) - 1;
}

}  // namespace

void BlockTimes::add(u64 duration) {
  ++count_;
  sum_ += duration;
  least_ = std::min(least_, duration);
  most_ = std::max(most_, duration);
  ++ranges_[range_of(duration)];
}

u64 BlockTimes::percentile(double part) const {
  const auto wanted = static_cast<u64>(std::ceil(part * static_cast<double>(count_)));
  u64 below = 0;
  for (const auto& [range, count] : ranges_) {
    below += count;
    if (below >= wanted) return std::clamp(end_of(range), least_, most_);
  }
  return most_;
}

}  // namespace peregrine
