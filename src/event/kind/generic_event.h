// The event names that every Linux knows: hardware, software, tool and cache events. Constant tables.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "abi/attr.h"
#include "base/types.h"
#include "event/spec.h"

namespace peregrine {

struct GenericEvent {
  std::string_view name;   // what linux-perf prints
  std::string_view alias;  // the other spelling, or ""
  abi::EventType type;
  u64 config;
  ToolEvent tool = ToolEvent::None;
};

std::span<const GenericEvent> hardware_events();  // by config
std::span<const GenericEvent> software_events();  // by config, dummy included
std::span<const GenericEvent> tool_events();
// By name or alias, in all three tables; nullptr if not found.
const GenericEvent* find_generic_event(std::string_view name);

// Cache events: config = cache | operation << 8 | result << 16.
inline constexpr unsigned kCacheCount = 7, kCacheOperationCount = 3, kCacheResultCount = 2;
std::string_view cache_type_name(unsigned cache);  // "L1-dcache"
bool cache_operation_exists(unsigned cache, unsigned operation);
// Accepts every spelling linux-perf does: "L1-dcache-load-misses", "l1-d-load-miss", "LLC". nullopt if `text` is
// something else or the combination does not exist.
std::optional<u64> parse_cache_event(std::string_view text);
// "r1a8", "r0x1a8".
std::optional<u64> parse_raw_event(std::string_view text);

}  // namespace peregrine
