// Names of the kernel functions between a tracepoint and the code that called it: those of tracing itself, and for
// system calls the common entry and exit code.
#pragma once
#include <string_view>

namespace peregrine {

// Ignores suffixes added by the compiler (".constprop.0").
bool is_tracing_code(std::string_view name);

}  // namespace peregrine
