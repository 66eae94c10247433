// The static variables of a unit, outside and inside functions, and their locations.
#pragma once
#include <functional>
#include <optional>

#include "base/types.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/expression/variable_location.h"

namespace peregrine {

// Visits the variables of the scope and of all nested scopes, including functions.
void each_variable(DebugEntry scope, const std::function<void(DebugEntry)>& visit);
// The offset of a variable in memory that can be found without reading anything: from `base`, an address or
// thread-local memory. Nothing if the variable is elsewhere.
std::optional<i64> static_offset(DebugEntry variable, VariableLocation::Base base);

}  // namespace peregrine
