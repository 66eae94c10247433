// FunctionExtent: where one function of a file begins and ends; and what it is called if nobody named it.
#pragma once
#include <fmt/format.h>

#include <compare>
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

struct FunctionExtent {
  u64 start = 0, end = 0;  // file offsets
  friend auto operator<=>(const FunctionExtent&, const FunctionExtent&) = default;
};

// "app+0x1040": all that is known of a function of a stripped program is its place in the file.
inline std::string unnamed_function(std::string_view program, u64 start) {
  return fmt::format("{}+{:#x}", program, start);
}
// Whether that is such a name. No symbol ends with its own address.
inline bool is_unnamed_function(std::string_view name, u64 start) {
  return name.ends_with(fmt::format("+{:#x}", start));
}

}  // namespace peregrine
