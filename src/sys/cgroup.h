// Control groups: where the hierarchy is mounted that perf events belong to.
#pragma once
#include <string>

#include "sys/root.h"

namespace peregrine {

// Version 1's perf_event controller, else the unified hierarchy; "" when neither is mounted.
std::string cgroup_mount(const Root& root);

}  // namespace peregrine
