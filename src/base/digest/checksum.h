// checksum(): a fast checksum that detects truncated and damaged cache files, not forged ones.
#pragma once
#include <string_view>

#include "base/types.h"

namespace peregrine {

u64 checksum(std::string_view bytes);

}  // namespace peregrine
