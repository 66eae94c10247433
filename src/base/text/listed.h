// listed: the first of several names, and the number of others: "a, b and 3 more".
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace peregrine {

// Lists at most `most` names.
inline std::string listed(std::span<const std::string> names, std::size_t most) {
  const std::size_t shown = std::min(names.size(), most);
  std::string text;
  for (const std::string& name : names.first(shown)) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace peregrine
