// Named places for breakpoints: "jiffies", "jiffies+8"; and their kernel addresses.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

struct NamedPlace {
  std::string_view symbol;
  u64 offset = 0;
};
// Errors: Usage, an invalid offset.
Result<NamedPlace> parse_named_place(std::string_view text);

// Errors: NotFound, with the nearest name; Denied, the kernel hides its addresses; Usage, an invalid offset.
Result<u64> kernel_symbol_address(const Root& root, std::string_view text);

}  // namespace peregrine
