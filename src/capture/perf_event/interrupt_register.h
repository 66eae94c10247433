// The registers that samples on this machine may contain (-I).
#pragma once
#include "base/types.h"

namespace peregrine {

// Those of abi's table, plus its vector registers if a trial event shows that the kernel samples them.
u64 interrupt_register_mask();

}  // namespace peregrine
