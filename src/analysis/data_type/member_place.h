// Resolves an offset in a type to a member, and names types consistently across units.
#pragma once
#include <string>

#include "base/types.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"

namespace peregrine {

struct MemberPlace {
  std::string path;  // "list.next", "slot[3].key"; empty: the whole object
  TypeRef type;      // of the innermost member; invalid if nothing is there
  u64 offset = 0;    // in it
};
MemberPlace member_at(const DwarfTypes& types, TypeRef type, u64 offset);

// Steps from an array into its element type, and reduces the offset to one within the element.
void enter_array(const DwarfTypes& types, TypeRef& type, i64& offset);

// "struct foo", "ns::Node", "size_t", "int*": typedefs of structures are resolved, those of numbers are kept.
std::string data_type_name(const DwarfTypes& types, TypeRef type);

// Object size; 0 if unknown, or impossibly large, as only in broken files.
u64 object_size(const DwarfTypes& types, TypeRef type);

// Wraps `value` into [0, size), for an object's size.
inline i64 wrapped(i64 value, u64 size) {
  const i64 whole = static_cast<i64>(size);
  return (value % whole + whole) % whole;
}

}  // namespace peregrine
