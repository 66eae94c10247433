// TraceDatClock: from the times in ring-buffer pages to those that a trace.dat file describes by its options: a guest's
// times on the clock of its host, cycles as nanoseconds, and a date or another offset.
//
// Times come from a file: they wrap around rather than overflow.
#pragma once
#include <vector>

#include "base/types.h"

namespace peregrine::data {

// One measurement of a guest's clock against the host's.
struct ClockShift {
  u64 time = 0;    // of the guest; valid from here on
  i64 offset = 0;  // to the host
  u64 scaling = 1;
  u32 fraction = 0;  // the scaling has this many bits behind the point
};

struct TraceDatClock {
  std::vector<std::vector<ClockShift>> shifts;  // by CPU; empty unless this is a guest's file
  bool interpolate = false;                     // offsets between two measurements
  u32 multiplier = 0, shift = 0;                // cycles to nanoseconds; 0: times are nanoseconds
  i64 offset = 0;                               // added to nanoseconds

  u64 corrected(u64 time, u32 cpu) const;
};

}  // namespace peregrine::data
