// The names of softirqs, by their vector, as the print formats of the kernel's tracepoints have them
// (include/linux/interrupt.h). The same in all kernels so far.
#pragma once
#include <string_view>

namespace peregrine::abi {

inline constexpr std::string_view kSoftirqNames[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                                     "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

}  // namespace peregrine::abi
