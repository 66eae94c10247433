// FixedVariables: the variables at fixed addresses that one unit can access: those it defines, and those of other units
// that it declares.
#pragma once
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

struct FixedVariable {
  u64 begin = 0;
  TypeRef type;
};

class FixedVariables {
 public:
  // `symbols`: of the same file, by virtual address; must outlive this.
  FixedVariables(const EntryUnit& unit, const SymbolTable& symbols);
  std::optional<FixedVariable> find(u64 address) const;

 private:
  void add(DebugEntry variable);

  struct Own {
    u64 begin, end;
    TypeRef type;
  };
  const SymbolTable& symbols_;
  DwarfTypes types_;
  std::vector<Own> own_;  // by address
  std::unordered_map<std::string_view, TypeRef> declared_;
};

}  // namespace peregrine
