// Memory trials: how fast the C library copies and fills memory (`bench mem memcpy`, `bench mem memset`).
#pragma once
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class MemoryWork { Copy, Fill };

// Bytes per second, of memory that has been touched before. Errors: System, when there is not so much memory.
Result<double> run_memory(MemoryWork work, u64 bytes, u64 loops);

}  // namespace peregrine
