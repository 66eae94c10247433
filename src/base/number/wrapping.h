// Adds offsets and addresses as processors do: overflow wraps, where C++ would leave it undefined.
#pragma once
#include "base/types.h"

namespace peregrine {

constexpr i64 wrapping_sum(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b)); }
constexpr i64 wrapping_difference(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) - static_cast<u64>(b)); }

}  // namespace peregrine
