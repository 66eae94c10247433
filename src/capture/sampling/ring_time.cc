#include "capture/sampling/ring_time.h"

#include <ctime>

namespace peregrine {

u64 ring_held_until(bool last) {
  constexpr u64 kBeingWritten = 1'000'000;  // ns between a record's timestamp and its visibility in the ring
  if (last) return ~u64{0};
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<u64>(now.tv_sec) * 1'000'000'000 + static_cast<u64>(now.tv_nsec) - kBeingWritten;
}

}  // namespace peregrine
