// The variables of a unit that live as long as its program: outside of functions and static ones inside; and what their
// locations are followed with.
#pragma once
#include <functional>

#include "probe/argument/dwarf_location.h"
#include "symbol/dwarf/debug_entries.h"

namespace peregrine {

// Of the scope and all scopes in it, those of functions too.
void each_variable(DebugEntry scope, const std::function<void(DebugEntry)>& visit);
// Addresses are places counted from kAddressBase.
inline constexpr std::string_view kAddressBase = "@";
LocationContext location_context(DebugEntry variable, u16 machine);

}  // namespace peregrine
