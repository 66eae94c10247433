// Memory trials: how fast the C library copies and fills memory (`bench mem memcpy`, `bench mem memset`).
#pragma once
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class MemoryWork { Copy, Fill };

// Bytes per second, of memory that has been touched before. Errors: System, when there is not so much memory.
Result<double> run_memory(MemoryWork work, u64 bytes, u64 loops);

// How fast fresh memory can be had (`bench mem mmap`): mapped, touched page by page and given back, or filled in by the
// kernel at once. Bytes per second. Errors as above.
enum class MapWork { Demand, Populate };
Result<double> run_mapping(MapWork work, u64 bytes, u64 loops);

}  // namespace peregrine
