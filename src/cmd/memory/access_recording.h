// Shared by `mem record` and `c2c record`: the events that sample data accesses.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "cli/frame/command.h"

namespace peregrine::cmd {

inline constexpr unsigned kShortestLatency = 30;  // cycles of the shortest loads that are sampled, as in linux-perf

struct AccessRecording {
  std::vector<std::string> events;  // -e: tags ("ldlat-loads"), or "list"; empty: all events for loads and stores
  bool loads = true, stores = true;
  unsigned latency = kShortestLatency;
  std::vector<std::string> words;  // arguments of record, before the events
  bool verbose = false;            // print the arguments of record
};
// Calls record, or lists the events. Errors: Usage; Unsupported if this machine has none.
Result<int> record_accesses(AccessRecording request, std::span<const std::string> rest, Invocation& call);

}  // namespace peregrine::cmd
