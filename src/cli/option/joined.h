// joined: concatenates several arrays of rows into one option table.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

#include "cli/option/option.h"

namespace peregrine {

template <std::size_t... Sizes>
constexpr std::array<Option, (Sizes + ...)> joined(const Option (&... parts)[Sizes]) {
  std::array<Option, (Sizes + ...)> whole{};
  std::size_t at = 0;
  ((std::copy(parts, parts + Sizes, whole.begin() + static_cast<std::ptrdiff_t>(at)), at += Sizes), ...);
  return whole;
}

}  // namespace peregrine
