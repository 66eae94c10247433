// own_vdso: a copy of the vdso image in this process, which stands for that of the recorded ones on the same kernel.
#pragma once
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace peregrine {

// NotFound when this process has none.
Result<std::vector<std::byte>> own_vdso();

}  // namespace peregrine
