// Formats an address as a place, as -l shows it: "work:6@/src/prog.c", "malloc+4".
#pragma once
#include <string>

#include "base/types.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

// Empty if the debug information has no function there.
std::string place_text(const DebugInformation& information, u64 virtual_address, bool is_return);
std::string place_text(const SymbolTable& symbols, u64 dso_address, bool is_return);

}  // namespace peregrine
