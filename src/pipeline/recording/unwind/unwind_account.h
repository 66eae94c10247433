// UnwindAccount: statistics of `record --unwind=now`.
#pragma once
#include "base/types.h"

namespace peregrine {

struct UnwindAccount {
  u64 unwound = 0;
  u64 kept = 0;         // samples with stacks in the file
  u64 nanoseconds = 0;  // CPU time used
};

}  // namespace peregrine
