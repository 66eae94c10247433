#include "analysis/data_type/fixed_variables.h"

#include <algorithm>
#include <string_view>

#include "analysis/data_type/member_place.h"
#include "analysis/data_type/variable_scopes.h"
#include "base/types.h"
#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/expression/variable_location.h"

namespace peregrine {
FixedVariables::FixedVariables(const EntryUnit& unit, const SymbolTable& symbols) : symbols_(symbols), types_(unit) {
  each_variable(unit.root(), [&](DebugEntry variable) { add(variable); });
  std::ranges::sort(own_, {}, &Own::begin);
}

void FixedVariables::add(DebugEntry variable) {
  const TypeRef type = DwarfTypes::ref(variable.type());
  if (!variable.type()) return;
  if (variable.own(DwarfAttribute::Location)) {
    const auto place = static_offset(variable, VariableLocation::Base::Address);
    if (!place || *place == 0) return;  // 0: discarded by the linker
    const auto address = static_cast<u64>(*place);
    const u64 size = object_size(types_, type);
    own_.push_back({address, address + std::max<u64>(size, 1), type});
  } else if (variable.flag(DwarfAttribute::Declaration)) {
    const std::string_view name = variable.linkage_name();
    declared_.try_emplace(name.empty() ? variable.name() : name, type);
  }
}

std::optional<FixedVariable> FixedVariables::find(u64 address) const {
  const auto next = std::ranges::upper_bound(own_, address, {}, &Own::begin);
  if (next != own_.begin())
    if (const Own& own = *(next - 1); address < own.end) return FixedVariable{own.begin, own.type};
  if (declared_.empty()) return std::nullopt;
  const SymbolIndex symbol = symbols_.find_index(address);
  if (!symbol) return std::nullopt;
  const auto declared = declared_.find(symbols_.name(symbol));
  if (declared == declared_.end()) return std::nullopt;
  return FixedVariable{symbols_.start(symbol), declared->second};
}

}  // namespace peregrine
