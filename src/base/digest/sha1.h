// SHA-1, which linkers use for build-ids. Identifies contents; not for security.
#pragma once
#include <array>
#include <cstddef>

#include "base/bytes.h"

namespace peregrine {

std::array<std::byte, 20> sha1(Bytes bytes);

}  // namespace peregrine
