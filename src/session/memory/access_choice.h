// What `mem` and `c2c` record and show of accesses to data, as arguments of `record` and keys of `report`.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/config/memory_event.h"
#include "output/sink.h"

namespace peregrine {

inline constexpr unsigned kShortestLatency = 30;  // cycles of the shortest loads that are sampled, as in linux-perf

struct AccessKinds {
  bool loads = true, stores = true;
};
// "load,store"; empty: neither. Errors: Usage, another word.
Result<AccessKinds> parse_access_kinds(std::string_view text);

struct AccessRecording {
  std::vector<std::string> events;  // tags ("ldlat-loads"), or "list"; empty: the events of `kinds`
  AccessKinds kinds;
  unsigned latency = kShortestLatency;

  bool lists_events() const;
};
// "-e", EVENT for each event of the machine (`known`) that is recorded. `command`: named in hints, such as "mem
// record". Errors: Usage, an unknown tag; Unsupported, the machine has none of the events.
Result<std::vector<std::string>> access_event_arguments(const AccessRecording& recording,
                                                        std::span<const MemoryEvent> known, std::string_view command);
// A line for each event. Errors: Unsupported if no PMU of this machine samples accesses.
Result<> list_access_events(std::span<const MemoryEvent> known, Sink& out);

// What rows of accesses are told apart by.
struct AccessRows {
  AccessKinds kinds;
  bool by_type = false;  // types of data instead of code
  bool physical_address = false, data_page_size = false;
};
// Keys for report --sort; empty: the default of --mem-mode.
std::string access_sort_keys(const AccessRows& rows);

}  // namespace peregrine
