// Finds the files that a program writes about its own code: perf-PID.map and jit-PID.dump.
//
// A program in a container writes them below its own root, with the process id that it has inside. While it is running,
// /proc shows both. The places are tried in order; the first that can be opened is used.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/file/read_failures.h"
#include "base/types.h"

namespace peregrine {

struct SymbolPlaces;

// The current state of a process, seen through the given /proc.
struct LivingProcess {
  std::string root;   // "/proc/PID/root" if its root differs from ours, else empty
  u32 inner_pid = 0;  // pid in its own namespace; 0: not alive or not accessible
};
// `failures` collects read failures of the machine.
LivingProcess look_at_process(const std::string& proc, u32 pid, ReadFailures* failures = nullptr);

std::vector<std::string> perf_map_places(const SymbolPlaces& places, u32 pid);
// `path` is the name of the dump's map.
std::vector<std::string> jitdump_places(const SymbolPlaces& places, u32 pid, std::string_view path);

}  // namespace peregrine
