// Users by name or id.
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine {

// Converts a user's name or number into a decimal uid. Errors (Usage): no such user.
Result<std::string> user_number(const std::string& name);

}  // namespace peregrine
