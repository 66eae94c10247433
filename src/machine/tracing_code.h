// Names of the kernel functions that stand between a tracepoint and the code that called it: those that tracing itself
// adds, and for system calls the common code of all of them.
#pragma once
#include <string_view>

namespace peregrine {

// What the compiler appended (".constprop.0") does not matter.
bool is_tracing_code(std::string_view name);

}  // namespace peregrine
