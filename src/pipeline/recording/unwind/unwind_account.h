// UnwindAccount: what became of the stacks of `record --unwind=now`.
#pragma once
#include "base/types.h"

namespace peregrine {

struct UnwindAccount {
  u64 unwound = 0;
  u64 kept = 0;         // samples whose stacks are in the file
  u64 nanoseconds = 0;  // of processor time that it took
};

}  // namespace peregrine
