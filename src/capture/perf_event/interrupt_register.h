// The registers that a sample of this machine may carry by -I.
#pragma once
#include "base/types.h"

namespace peregrine {

// Those of abi's table, and its vector registers where the kernel samples them, which a trial event finds out.
u64 interrupt_register_mask();

}  // namespace peregrine
