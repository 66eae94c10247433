// FunctionExtent: the bounds of one function in a file, and its name if it has no symbol.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

struct FunctionExtent {
  u64 start = 0, end = 0;  // file offsets
  friend auto operator<=>(const FunctionExtent&, const FunctionExtent&) = default;
};

// "app+0x1040": a stripped program's function is known only by its file offset.
inline std::string unnamed_function(std::string_view program, u64 start) {
  return fmt::format("{}+{:#x}", program, start);
}
// Whether `name` has that form. No symbol ends with its own address.
inline bool is_unnamed_function(std::string_view name, u64 start) {
  return name.ends_with(fmt::format("+{:#x}", start));
}

}  // namespace peregrine
