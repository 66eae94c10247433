// counted: formats a number of things for people: "1 record", "2 records".
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// `many`: the plural; if empty, `one` with an s. A verb may be included: "record was".
inline std::string counted(u64 count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

}  // namespace peregrine
