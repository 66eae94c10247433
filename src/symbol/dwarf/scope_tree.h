// ScopeTree: the functions of one unit and the functions inlined into them, by address.
//
// Built in one pass over the unit's entries. A scope is an out-of-line function, or a function inlined into scope
// `parent`. File numbers are those of the unit's line program. Immutable.
#pragma once
#include <string_view>
#include <vector>

#include "base/types.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/range_map.h"

namespace peregrine {

struct Scope {
  static constexpr u32 kNone = 0xffffffffu;
  u32 parent = kNone;
  u32 call_file = 0;  // call site in the parent, for inlined functions
  u32 call_line = 0;
  std::string_view function;  // lives as long as the files
};

class ScopeTree {
 public:
  // `unit` must be open. `alternative`: the file's dwz supplement, or nullptr.
  static ScopeTree build(const DwarfUnit& unit, const DwarfFile* alternative);

  // The innermost scope at that address; nullptr if none.
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

// Name of the function with its entry at `offset`; follows references to other entries.
std::string_view function_name(const DwarfFile& file, const DwarfFile* alternative, u64 offset);

}  // namespace peregrine
