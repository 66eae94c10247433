// ScopeTree: the functions of one unit, and what is inlined into them, by address.
//
// Made in one walk over the unit's entries. A scope is a function with code of its own, or one inlined into the scope
// `parent`; files are as the unit's line program numbers them. Immutable.
#pragma once
#include <functional>

#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/range_map.h"

namespace peregrine {

struct Scope {
  static constexpr u32 kNone = 0xffffffffu;
  u32 parent = kNone;
  u32 call_file = 0;  // of an inlined one: where the parent calls it
  u32 call_line = 0;
  std::string_view function;  // as long as the files
};

class ScopeTree {
 public:
  // `unit` has been opened. `alternative`: what dwz moved out of this file, or nullptr.
  static ScopeTree build(const DwarfUnit& unit, const DwarfFile* alternative);

  // The innermost one at that address; nullptr where no function is.
  const Scope* find(u64 address) const {
    const u32 found = map_.find(address);
    return found == RangeMap::kNobody ? nullptr : &scopes_[found];
  }
  const Scope* parent(const Scope& scope) const {
    return scope.parent == Scope::kNone ? nullptr : &scopes_[scope.parent];
  }
  std::vector<Scope>& scopes() { return scopes_; }

 private:
  std::vector<Scope> scopes_;
  RangeMap map_;
};

// The name of the function whose entry is at `offset` of that file, which it may have from other entries.
std::string_view function_name(const DwarfFile& file, const DwarfFile* alternative, u64 offset);

}  // namespace peregrine
