// make_folders: creates a folder and its missing parents, with the given permissions.
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine {

// Creates `path` and its missing parents with `mode`; existing folders stay unchanged. System errors name the folder
// that failed.
Result<> make_folders(const std::string& path, unsigned mode);

}  // namespace peregrine
