// Names of the kernel functions in which a CPU waits for work. A profile by time finds an idle CPU in one of them.
#pragma once
#include <string_view>

namespace peregrine {

// Ignores suffixes added by the compiler (".constprop.0").
bool is_idle_function(std::string_view name);

}  // namespace peregrine
