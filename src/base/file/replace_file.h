// replace_file: replaces the contents of a file atomically.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

// Writes a draft (output_place.h) and renames it. Does not follow a link at `path`. A failure leaves nothing behind;
// its error names the path.
Result<> replace_file(const std::string& path, std::string_view bytes, unsigned mode);

}  // namespace peregrine
