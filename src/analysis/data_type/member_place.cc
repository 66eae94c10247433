#include "analysis/data_type/member_place.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/types.h"
#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"

namespace peregrine {
namespace {

// Far deeper than real types nest; types in broken files may contain themselves.
constexpr unsigned kDeepestMember = 32;
constexpr u64 kLargestObject = u64{1} << 40;

bool covers(const DwarfTypes& types, const TypeMember& member, u64 offset) {
  if (member.bit_size != 0) return offset >= member.bit_start / 8 && offset * 8 < member.bit_start + member.bit_size;
  if (offset < member.offset) return false;
  const TypeShape shape = types.shape(member.type);
  if (shape.size && *shape.size != 0) return offset - member.offset < *shape.size;
  return shape.kind == TypeKind::Array;  // a flexible array member
}

// The covering member that starts last, because a class may reuse the padding of its base. Among members with the same
// offset (empty bases), the largest; in a union, the first.
std::optional<TypeMember> find_member(const DwarfTypes& types, TypeRef type, u64 offset) {
  const bool is_union = types.shape(type).kind == TypeKind::Union;
  std::optional<TypeMember> found;
  u64 found_size = 0;
  for (TypeMember& member : types.members(type)) {
    if (!covers(types, member, offset)) continue;
    const u64 size = object_size(types, member.type);
    const bool better =
        !found ||
        (!is_union && (member.offset > found->offset || (member.offset == found->offset && size > found_size)));
    if (!better) continue;
    found = std::move(member);
    found_size = size;
  }
  return found;
}

}  // namespace

u64 object_size(const DwarfTypes& types, TypeRef type) {
  const u64 size = types.shape(type).size.value_or(0);
  return size > kLargestObject ? 0 : size;
}

MemberPlace member_at(const DwarfTypes& types, TypeRef type, u64 offset) {
  MemberPlace place{.path = {}, .type = type, .offset = offset};
  for (unsigned depth = 0; depth < kDeepestMember; ++depth) {
    const TypeShape shape = types.shape(place.type);
    if (shape.kind == TypeKind::Array) {
      const u64 size = object_size(types, shape.target);
      if (size == 0) return place;
      place.path += fmt::format("[{}]", place.offset / size);
      place.type = shape.target;
      place.offset %= size;
    } else if ((shape.kind == TypeKind::Structure || shape.kind == TypeKind::Union) && shape.size) {
      const auto member = find_member(types, place.type, place.offset);
      if (!member) {
        place.type = {};
        return place;
      }
      if (!member->name.empty()) place.path += fmt::format("{}{}", place.path.empty() ? "" : ".", member->name);
      place.type = member->type;
      place.offset -= member->bit_size != 0 ? place.offset : member->offset;
    } else {
      return place;
    }
  }
  return place;
}

void enter_array(const DwarfTypes& types, TypeRef& type, i64& offset) {
  for (unsigned depth = 0; depth < kDeepestMember; ++depth) {
    const TypeShape shape = types.shape(type);
    if (shape.kind != TypeKind::Array) return;
    const u64 size = object_size(types, shape.target);
    if (size == 0) return;
    type = shape.target;
    offset = wrapped(offset, size);
  }
}

std::string data_type_name(const DwarfTypes& types, TypeRef type) {
  DebugEntry entry = DwarfTypes::entry_of(type);
  unsigned pointers = 0;
  // A structure's own name takes precedence over its typedefs; otherwise the first typedef names the type.
  DebugEntry named, structure;
  for (unsigned depth = 0; depth < kDeepestMember && entry; ++depth) {
    const DwarfTag tag = entry.tag();
    const bool is_pointer = tag == DwarfTag::PointerType || tag == DwarfTag::ReferenceType ||
                            tag == DwarfTag::RvalueReferenceType || tag == DwarfTag::ArrayType;
    if (is_pointer && named) break;
    if (is_pointer) ++pointers;
    if (tag == DwarfTag::Typedef && !named) named = entry;
    const bool has_members = tag == DwarfTag::StructureType || tag == DwarfTag::ClassType || tag == DwarfTag::UnionType;
    if (has_members && !entry.name().empty()) structure = entry;
    const bool leads_on = is_pointer || tag == DwarfTag::Typedef || tag == DwarfTag::ConstType ||
                          tag == DwarfTag::VolatileType || tag == DwarfTag::RestrictType || tag == DwarfTag::AtomicType;
    if (!leads_on) break;
    entry = entry.type();
  }
  if (structure) named = structure;
  if (!named) named = entry;
  std::string name = named ? types.text(DwarfTypes::ref(named)) : std::string("void");
  std::string scope;
  if (named)
    for (DebugEntry at = named.root().parent(); at && at.tag() == DwarfTag::Namespace; at = at.parent())
      scope = fmt::format("{}::{}", at.name().empty() ? "(anonymous)" : at.name(), scope);
  if (!scope.empty()) name.insert(name.rfind(' ', name.find('<')) + 1, scope);
  return name + std::string(pointers, '*');
}

}  // namespace peregrine
