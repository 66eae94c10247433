// checksum(): a fast sum over bytes that guards what we keep in files against cuts and damage, not against forgery.
#pragma once
#include <string_view>

#include "base/types.h"

namespace peregrine {

u64 checksum(std::string_view bytes);

}  // namespace peregrine
