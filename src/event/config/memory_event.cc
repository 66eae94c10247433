#include "event/config/memory_event.h"

#include <fmt/format.h>

#include "sys/hardware/pmu.h"

namespace peregrine {

std::vector<MemoryEvent> memory_events(EventSources& sources, unsigned cycles) {
  std::vector<MemoryEvent> found;
  for (const Pmu& pmu : sources.pmus()) {
    const bool loads = pmu.is_core && pmu.event("mem-loads") != nullptr;
    if (loads && pmu.event("mem-loads-aux") != nullptr) {  // mem-loads only counts in a group led by mem-loads-aux
      const std::string group = fmt::format("{{{0}/mem-loads-aux/,{0}/mem-loads,ldlat={1}/}}:P", pmu.name, cycles);
      found.push_back({.tag = "ldlat-loads", .text = group, .loads = true});
    } else if (loads) {
      found.push_back(
          {.tag = "ldlat-loads", .text = fmt::format("{}/mem-loads,ldlat={}/P", pmu.name, cycles), .loads = true});
    }
    if (pmu.is_core && pmu.event("mem-stores") != nullptr)
      found.push_back({.tag = "ldlat-stores", .text = fmt::format("{}/mem-stores/P", pmu.name), .stores = true});
    if (pmu.name == "ibs_op") found.push_back({.tag = "mem-ldst", .text = "ibs_op//", .loads = true, .stores = true});
  }
  return found;
}

}  // namespace peregrine
