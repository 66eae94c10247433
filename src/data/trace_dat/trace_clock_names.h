// kTraceClockNames: ftrace's names of the clocks that recordings know by their clockid.
#pragma once
#include <time.h>

#include <array>
#include <string_view>

#include "base/types.h"

namespace peregrine::data {

struct TraceClockName {
  std::string_view name;
  i32 clockid;
};
inline constexpr std::array<TraceClockName, 4> kTraceClockNames{{
    {"mono", CLOCK_MONOTONIC},
    {"mono_raw", CLOCK_MONOTONIC_RAW},
    {"boot", CLOCK_BOOTTIME},
    {"tai", CLOCK_TAI},
}};

}  // namespace peregrine::data
