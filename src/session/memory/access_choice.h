// Data accesses that `mem` and `c2c` record and show, as arguments of `record` and keys of `report`.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/config/memory_event.h"
#include "output/sink.h"

namespace peregrine {

inline constexpr unsigned kShortestLatency = 30;  // minimum latency in cycles of sampled loads, as in linux-perf

struct AccessKinds {
  bool loads = true, stores = true;
};
// "load,store"; empty: neither. Errors: Usage, an unknown kind.
Result<AccessKinds> parse_access_kinds(std::string_view text);

struct AccessRecording {
  std::vector<std::string> events;  // tags ("ldlat-loads"), or "list"; empty: the events of `kinds`
  AccessKinds kinds;
  unsigned latency = kShortestLatency;

  bool lists_events() const;
};
// "-e", EVENT for each of the machine's events (`known`) to record. `command`: its name for hints, such as "mem
// record". Errors: Usage, an unknown tag; Unsupported, the machine lacks the events.
Result<std::vector<std::string>> access_event_arguments(const AccessRecording& recording,
                                                        std::span<const MemoryEvent> known, std::string_view command);
// A line for each event. Errors: Unsupported, no PMU of this machine samples accesses.
Result<> list_access_events(std::span<const MemoryEvent> known, Sink& out);

// What distinguishes rows of accesses.
struct AccessRows {
  AccessKinds kinds;
  bool by_type = false;  // data types instead of code
  bool physical_address = false, data_page_size = false;
};
// Keys for report --sort; empty: the default of --mem-mode.
std::string access_sort_keys(const AccessRows& rows);

}  // namespace peregrine
