// The events that sample data accesses, if the processor has any: Intel's mem-loads and mem-stores, AMD's IBS. Used by
// `mem record`. (Arm's SPE writes traces instead of samples.)
#pragma once
#include <string>
#include <vector>

#include "event/source.h"

namespace peregrine {

struct MemoryEvent {
  std::string tag;   // "ldlat-loads": its name for `mem record -e`
  std::string text;  // its text for `record -e`
  bool loads = false, stores = false;
};

// This machine's events, for loads with a latency of at least `cycles`; empty if it has none.
std::vector<MemoryEvent> memory_events(EventSources& sources, unsigned cycles);

}  // namespace peregrine
