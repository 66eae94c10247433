// replace_file: replaces the contents of a file atomically.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

// Written as a draft (output_place.h), then renamed; a link in the way is not followed. Nothing is left of a failure,
// which names the path.
Result<> replace_file(const std::string& path, std::string_view bytes, unsigned mode);

}  // namespace peregrine
