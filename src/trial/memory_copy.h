// Memory benchmarks: the C library's copy and fill rates (`bench mem memcpy`, `bench mem memset`).
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class MemoryWork { Copy, Fill };

// Bytes per second on memory touched before. Errors: System, out of memory.
Result<double> run_memory(MemoryWork work, u64 bytes, u64 loops);

// The rate of obtaining fresh memory (`bench mem mmap`): mapped, touched page by page and unmapped, or populated by the
// kernel at once. In bytes per second. Errors as above.
enum class MapWork { Demand, Populate };
Result<double> run_mapping(MapWork work, u64 bytes, u64 loops);

struct MappingWay {
  std::string_view name, summary;
  MapWork work;
};
inline constexpr MappingWay kMappingWays[] = {{"demand", "mmap() and a touch of each page", MapWork::Demand},
                                              {"populate", "mmap() with MAP_POPULATE", MapWork::Populate}};

}  // namespace peregrine
