// i128: holds the sum of any 2^63 numbers of 64 bits, signed or unsigned.
#pragma once
#include "base/types.h"

namespace peregrine {

__extension__ using i128 = __int128;

}  // namespace peregrine
