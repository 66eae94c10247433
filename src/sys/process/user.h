// Users by name or id.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

// Converts a user's name or number into a decimal uid. Errors (Usage): no such user.
Result<std::string> user_number(std::string_view name);

}  // namespace peregrine
