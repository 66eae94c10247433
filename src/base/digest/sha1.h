// SHA-1 of bytes, from which linkers make build-ids. Identifies contents; not for security.
#pragma once
#include <array>

#include "base/bytes.h"

namespace peregrine {

std::array<std::byte, 20> sha1(Bytes bytes);

}  // namespace peregrine
