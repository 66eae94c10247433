// Memory sizes as typed by users of `bench`.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// "64KB", "2mb", "1G", "100" → bytes, at most 2^50. Errors: Usage, also for 0.
Result<u64> parse_memory_size(std::string_view text);

}  // namespace peregrine
