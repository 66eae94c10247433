// make_folders: creates a folder and its missing parents, with the given permissions.
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine {

// Makes what is missing of `path` with `mode`; folders that are there stay as they are. System errors name the folder
// that could not be made.
Result<> make_folders(const std::string& path, unsigned mode);

}  // namespace peregrine
