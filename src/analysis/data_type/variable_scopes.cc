#include "analysis/data_type/variable_scopes.h"

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

LocationContext location_context(DebugEntry variable, u16 machine) {
  const DwarfUnit& unit = variable.unit().dwarf();
  LocationContext context{.machine = machine,
                          .address_size = unit.header().format.address_size,
                          .order = unit.file().order(),
                          .frame_base = std::nullopt,
                          .memory_base = kAddressBase};
  context.indexed_address = [&unit](u64 index) { return unit.indexed_address(index); };
  return context;
}

}  // namespace peregrine
