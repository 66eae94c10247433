// The address of a kernel symbol by its name, for breakpoints: "jiffies", "jiffies+8".
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

// Errors: NotFound, with the nearest name; Denied when the kernel hides its addresses; Usage for a wrong offset.
Result<u64> kernel_symbol_address(const Root& root, std::string_view text);

}  // namespace peregrine
