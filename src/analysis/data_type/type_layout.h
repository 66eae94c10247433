// type_layout(): a type as its members lie in memory, those of inner structures too.
#pragma once
#include <string>
#include <vector>

#include "probe/type/type_source.h"

namespace peregrine {

struct LayoutRow {
  unsigned depth = 0;  // 0: the type itself
  u64 offset = 0, size = 0;
  std::string type;    // "struct foo", "char"
  std::string name;    // "key", "slots[4]"; empty: it has none
  bool opens = false;  // its members follow
};

// In the order of declaration. Structures in arrays are not gone into.
std::vector<LayoutRow> type_layout(TypeRef type);

}  // namespace peregrine
