// DwarfTypes: the types of one unit's debugging entries.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"

namespace peregrine {

class DwarfTypes final : public TypeSource {
 public:
  // `unit`: casts look up names here first.
  explicit DwarfTypes(const EntryUnit& unit) : unit_(&unit) {}

  static TypeRef ref(DebugEntry entry) { return {entry ? &entry.unit() : nullptr, entry.node(), true}; }
  static DebugEntry entry_of(TypeRef type);
  TypeShape shape(TypeRef type) const override;
  std::vector<TypeMember> members(TypeRef type) const override;
  std::string text(TypeRef type) const override;
  TypeRef find(std::string_view spelled) const override;

 private:
  const EntryUnit* unit_;
};

}  // namespace peregrine
