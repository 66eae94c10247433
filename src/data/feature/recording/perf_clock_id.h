// The clockid that CLOCK_DATA uses for the kernel's own clock, which timestamps samples unless record -k selects
// another one. Linux has no number for it.
#pragma once
#include "base/types.h"

namespace peregrine::data {

inline constexpr u32 kPerfClock = 0xffffffff;

}  // namespace peregrine::data
