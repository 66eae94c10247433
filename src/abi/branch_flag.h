// Branch flags of an instruction trace, with the same bits as linux-perf's synthesized samples (dlfilters see them in
// perf_dlfilter_sample.flags).
#pragma once
#include "base/types.h"

namespace peregrine::abi::branch_flag {

inline constexpr u32 IsBranch = 1u << 0, Call = 1u << 1, Return = 1u << 2, Conditional = 1u << 3, Syscall = 1u << 4,
                     Async = 1u << 5, Interrupt = 1u << 6, Abort = 1u << 7, TraceBegin = 1u << 8, TraceEnd = 1u << 9,
                     InTransaction = 1u << 10;

}  // namespace peregrine::abi::branch_flag
