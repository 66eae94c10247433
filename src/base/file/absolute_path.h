// absolute_path: a path that stays valid when the current folder changes.
#pragma once
#include <string>

namespace peregrine {

// Removes "." and ".." without following links. Returns the path unchanged if the current folder was removed.
std::string absolute_path(const std::string& path);

}  // namespace peregrine
