#include "pipeline/rewrite/guest_clock.h"

#include "base/types.h"

namespace peregrine {
namespace {

__extension__ typedef unsigned __int128 Product;

bool converts(const std::optional<abi::TimeConvRecord>& clock) {
  return clock && clock->multiplier != 0 && clock->shift < 64 && (!clock->has_cycles || clock->cap_zero);
}

u64 ticks_at(const abi::TimeConvRecord& clock, u64 time) {
  return static_cast<u64>((Product{time - clock.zero} << clock.shift) / clock.multiplier);
}

u64 time_at(const abi::TimeConvRecord& clock, u64 ticks) {
  return clock.zero + static_cast<u64>((Product{ticks} * clock.multiplier) >> clock.shift);
}

}  // namespace

u64 GuestClock::host_time(u64 guest_time) const {
  if (guest_time == 0) return 0;
  u64 ticks = (converts(guest) ? ticks_at(*guest, guest_time) : guest_time) - offset;
  if (scale != 1) {
    constexpr long double kEnd = 18446744073709551616.0L;  // 2^64
    const long double scaled = static_cast<long double>(ticks) / static_cast<long double>(scale);
    ticks = scaled >= 0 && scaled < kEnd ? static_cast<u64>(scaled) : ~u64{0};
  }
  return converts(host) ? time_at(*host, ticks) : ticks;
}

}  // namespace peregrine
