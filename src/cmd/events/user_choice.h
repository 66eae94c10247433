// The user for -u, by name or id.
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine::cmd {

// A user's name or number as a decimal uid. Error (Usage): there is no such user.
Result<std::string> user_number(const std::string& name);

}  // namespace peregrine::cmd
