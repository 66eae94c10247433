#include "data/trace_dat/trace_dat_clock.h"

#include <algorithm>
#include <cstddef>

namespace peregrine::data {
namespace {

__extension__ using Wide = unsigned __int128;

u64 scaled(u64 value, u64 factor, u32 shift) {
  return shift >= 64 ? 0 : static_cast<u64>(static_cast<Wide>(value) * factor >> shift);
}

// Between two measurements the offset grows evenly.
u64 offset_at(const ClockShift& from, const ClockShift& to, u64 time) {
  if (to.time <= from.time || time < from.time) return static_cast<u64>(from.offset);
  const bool grows = to.offset >= from.offset;
  const u64 low = static_cast<u64>(grows ? from.offset : to.offset),
            high = static_cast<u64>(grows ? to.offset : from.offset);
  const Wide product = static_cast<Wide>(high - low) * (time - from.time), whole = to.time - from.time;
  const u64 growth = static_cast<u64>(product / whole) + (product % whole * 2 >= whole ? 1 : 0);
  return static_cast<u64>(from.offset) + (grows ? growth : 0 - growth);
}

u64 on_host(const std::vector<ClockShift>& shifts, bool interpolate, u64 time) {
  const auto after = std::ranges::upper_bound(shifts, time, {}, &ClockShift::time);
  const ClockShift& from = after == shifts.begin() ? shifts.front() : *(after - 1);
  const ClockShift& to = interpolate && after != shifts.end() ? *after : from;
  return scaled(time, from.scaling, from.fraction) + offset_at(from, to, time);
}

}  // namespace

u64 TraceDatClock::corrected(u64 time, u32 cpu) const {
  if (!shifts.empty()) {
    const auto& of_cpu = shifts[cpu < shifts.size() ? cpu : 0];
    if (!of_cpu.empty()) time = on_host(of_cpu, interpolate, time);
  }
  if (multiplier != 0) time = scaled(time, multiplier, shift);
  return time + static_cast<u64>(offset);
}

}  // namespace peregrine::data
