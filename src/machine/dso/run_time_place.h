// Where the files lie that a program writes about its own code: perf-PID.map and jit-PID.dump.
//
// A program in a container writes them below its own root and under the process id that it has there. As long as it
// lives, /proc tells both. Looked for in order; the first that opens is taken.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/file/read_failures.h"
#include "base/types.h"

namespace peregrine {

struct SymbolPlaces;

// The process as it is now, seen from the folder that is /proc.
struct LivingProcess {
  std::string root;   // "/proc/PID/root" when its root is not ours; else empty
  u32 inner_pid = 0;  // in its own pid namespace; 0: it does not live, or may not be looked at
};
// `failures`: told when the machine fails to read of it.
LivingProcess look_at_process(const std::string& proc, u32 pid, ReadFailures* failures = nullptr);

std::vector<std::string> perf_map_places(const SymbolPlaces& places, u32 pid);
// `path` as the map of the dump names it.
std::vector<std::string> jitdump_places(const SymbolPlaces& places, u32 pid, std::string_view path);

}  // namespace peregrine
