// build_unit_index(): maps addresses to the units of a file.
//
// Uses .debug_aranges, and reads the first entry of units it does not cover, on several threads if there are many.
// Decodes no unit.
#pragma once
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/range_map.h"

namespace peregrine {

// Owners are indices into file.units().
RangeMap build_unit_index(const DwarfFile& file);

}  // namespace peregrine
