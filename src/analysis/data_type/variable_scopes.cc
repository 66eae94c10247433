#include "analysis/data_type/variable_scopes.h"

#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/expression/variable_location.h"

namespace peregrine {
namespace {

constexpr unsigned kDeepestScope = 64;

void walk(DebugEntry scope, const std::function<void(DebugEntry)>& visit, unsigned depth) {
  if (depth > kDeepestScope) return;
  for (const DebugEntry child : scope.children()) {
    const DwarfTag tag = child.tag();
    if (tag == DwarfTag::Variable) visit(child);
    if (tag == DwarfTag::Namespace || tag == DwarfTag::Subprogram || tag == DwarfTag::LexicalBlock)
      walk(child, visit, depth + 1);
  }
}

}  // namespace

void each_variable(DebugEntry scope, const std::function<void(DebugEntry)>& visit) { walk(scope, visit, 0); }

std::optional<i64> static_offset(DebugEntry variable, VariableLocation::Base base) {
  const auto expression = variable.expression(DwarfAttribute::Location, 0);
  if (!expression) return std::nullopt;
  const auto location = locate_variable(*expression, variable.unit().dwarf().location_context());
  if (!location || location->base != base || !location->is_direct_memory()) return std::nullopt;
  return location->offset;
}

}  // namespace peregrine
