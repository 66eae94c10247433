// The events that sample accesses of data, where a processor has any: Intel's mem-loads and mem-stores, AMD's IBS. `mem
// record` chooses them. (Arm's SPE writes traces instead of samples, which nobody here decodes yet.)
#pragma once
#include <string>
#include <vector>

#include "event/source.h"

namespace peregrine {

struct MemoryEvent {
  std::string tag;   // "ldlat-loads": what -e of `mem record` calls it
  std::string text;  // as record's -e takes it
  bool loads = false, stores = false;
};

// Those of this machine, for loads of at least `cycles` of latency; empty where it has none.
std::vector<MemoryEvent> memory_events(EventSources& sources, unsigned cycles);

}  // namespace peregrine
