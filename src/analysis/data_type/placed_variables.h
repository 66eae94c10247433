// PlacedVariables: where each variable of one function lies, for every address of its code, by DWARF.
//
// Made of all scopes in the function: blocks, and what is inlined. Variables whose place is computed, or that lie in
// pieces, are left out. Const after building.
#pragma once
#include <span>
#include <vector>

#include "analysis/data_type/known_value.h"
#include "probe/type/dwarf_types.h"

namespace peregrine {

struct PlacedVariable {
  enum class Where : u8 {
    Register,  // its value is in register `reg`
    Frame,     // at `offset` of the frame (DWARF's CFA)
    Memory,    // at `offset` from what register `reg` holds
  };
  AddressRange range;  // of code, where this holds
  Where where = Where::Register;
  u8 reg = 0;
  i64 offset = 0;
  TypeRef type;
  KnownValue value;  // what it leads to
};

class PlacedVariables {
 public:
  static PlacedVariables of(DebugEntry function, u16 machine);

  // Those that are somewhere at that address, inner scopes last. Valid as long as this object.
  std::span<const u32> at(u64 address) const;
  const PlacedVariable& operator[](u32 index) const { return all_[index]; }

 private:
  void build_index();

  std::vector<PlacedVariable> all_;
  // [starts_[i], starts_[i + 1]) has the variables active_[firsts_[i] .. firsts_[i + 1]).
  std::vector<u64> starts_;
  std::vector<std::size_t> firsts_;
  std::vector<u32> active_;
};

}  // namespace peregrine
