// The static variables of a unit, outside and inside functions, and the context for evaluating their locations.
#pragma once
#include <functional>

#include "probe/argument/dwarf_location.h"
#include "symbol/dwarf/debug_entries.h"

namespace peregrine {

// Visits the variables of the scope and of all nested scopes, including functions.
void each_variable(DebugEntry scope, const std::function<void(DebugEntry)>& visit);
// Prefix of addresses: offsets from kAddressBase.
inline constexpr std::string_view kAddressBase = "@";
LocationContext location_context(DebugEntry variable, u16 machine);

}  // namespace peregrine
