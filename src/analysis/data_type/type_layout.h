// type_layout(): the members of a type in memory order, including those of nested structures.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"
#include "probe/type/type_source.h"

namespace peregrine {

struct LayoutRow {
  unsigned depth = 0;  // 0: the type itself
  u64 offset = 0, size = 0;
  std::string type;    // "struct foo", "char"
  std::string name;    // "key", "slots[4]"; empty if unnamed
  bool opens = false;  // its members follow
};

// In declaration order. Does not expand structures in arrays.
std::vector<LayoutRow> type_layout(TypeRef type);

}  // namespace peregrine
