// build_unit_index(): which unit covers an address, for a whole file.
//
// .debug_aranges says it for the units that it speaks of; of the others the first entry is read, on several threads
// when there are many. No unit is decoded for it.
#pragma once
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/range_map.h"

namespace peregrine {

// Owners are indices into file.units().
RangeMap build_unit_index(const DwarfFile& file);

}  // namespace peregrine
