// PlacedVariables: the location of each variable of one function at every address of its code, from DWARF.
//
// Covers all scopes of the function: blocks, and inlined functions. Omits variables with computed locations or in
// several pieces. Immutable after building.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/data_type/known_value.h"
#include "base/types.h"
#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_unit.h"

namespace peregrine {

struct PlacedVariable {
  enum class Where : u8 {
    Register,  // in register `reg`
    Frame,     // at `offset` of the frame (DWARF's CFA)
    Memory,    // at `offset` from the value of register `reg`
  };
  AddressRange range;  // code where this applies
  Where where = Where::Register;
  u8 reg = 0;
  i64 offset = 0;
  TypeRef type;
  KnownValue value;  // what the variable points at
};

class PlacedVariables {
 public:
  // `machine`: EM_* of the file.
  static PlacedVariables of(DebugEntry function, u16 machine);

  // The variables located at that address, inner scopes last. Valid as long as this object.
  std::span<const u32> at(u64 address) const;
  const PlacedVariable& operator[](u32 index) const { return all_[index]; }

 private:
  void build_index();

  std::vector<PlacedVariable> all_;
  // active_[firsts_[i] .. firsts_[i + 1]) are the variables in [starts_[i], starts_[i + 1]).
  std::vector<u64> starts_;
  std::vector<std::size_t> firsts_;
  std::vector<u32> active_;
};

}  // namespace peregrine
