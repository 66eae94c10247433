#include "analysis/field/field_values.h"

#include <algorithm>

namespace peregrine {

std::size_t UsedFields::index(std::string_view name) {
  const auto found = std::ranges::find(used_, name);
  const auto index = static_cast<std::size_t>(found - used_.begin());
  if (found == used_.end()) used_.emplace_back(name);
  return index;
}

}  // namespace peregrine
