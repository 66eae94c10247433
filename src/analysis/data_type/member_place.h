// What lies at an offset of a type, and what types are called where several units have the same ones.
#pragma once
#include <string>

#include "probe/type/dwarf_types.h"

namespace peregrine {

struct MemberPlace {
  std::string path;  // "list.next", "slot[3].key"; empty: the whole object
  TypeRef type;      // of the innermost one; invalid: nothing lies there
  u64 offset = 0;    // in it
};
MemberPlace member_at(const DwarfTypes& types, TypeRef type, u64 offset);

// Arrays are gone into: their elements are the objects. The offset becomes one in the element.
void enter_array(const DwarfTypes& types, TypeRef& type, i64& offset);

// "struct foo", "ns::Node", "size_t", "int*": names given to structures are looked through, those of numbers are kept.
std::string data_type_name(const DwarfTypes& types, TypeRef type);

// The size of its objects; 0: not known, or larger than memory, as only broken files say.
u64 object_size(const DwarfTypes& types, TypeRef type);

// `value` in [0, size), for the size of an object.
inline i64 wrapped(i64 value, u64 size) {
  const i64 whole = static_cast<i64>(size);
  return (value % whole + whole) % whole;
}

}  // namespace peregrine
