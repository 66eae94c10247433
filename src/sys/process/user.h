// Users by name or id.
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine {

// A user's name or number as a decimal uid. Errors (Usage): no such user.
Result<std::string> user_number(const std::string& name);

}  // namespace peregrine
