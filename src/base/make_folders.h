// make_folders: a folder and those above it, as private as asked.
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine {

// Makes what is missing of `path` with `mode`; folders that are there stay as they are. System errors name the folder
// that could not be made.
Result<> make_folders(const std::string& path, unsigned mode);

}  // namespace peregrine
