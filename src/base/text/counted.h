// counted: how many of something there are, as people write it: "1 record", "2 records".
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// `many`: what more than one, and none, are called; empty: `one` and an s. A verb may follow: "record was".
inline std::string counted(u64 count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

}  // namespace peregrine
