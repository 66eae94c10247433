// SHA-1 of bytes: what linkers make build-ids of. Tells contents apart; protects nothing.
#pragma once
#include <array>

#include "base/bytes.h"

namespace peregrine {

std::array<std::byte, 20> sha1(Bytes bytes);

}  // namespace peregrine
