#include "event/kind/generic_event.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "base/number/parse_number.h"
#include "base/types.h"

namespace peregrine {

namespace {

using abi::EventType;

constexpr GenericEvent kHardware[] = {
    {"cpu-cycles", "cycles", EventType::Hardware, 0},
    {"instructions", "", EventType::Hardware, 1},
    {"cache-references", "", EventType::Hardware, 2},
    {"cache-misses", "", EventType::Hardware, 3},
    {"branch-instructions", "branches", EventType::Hardware, 4},
    {"branch-misses", "", EventType::Hardware, 5},
    {"bus-cycles", "", EventType::Hardware, 6},
    {"stalled-cycles-frontend", "idle-cycles-frontend", EventType::Hardware, 7},
    {"stalled-cycles-backend", "idle-cycles-backend", EventType::Hardware, 8},
    {"ref-cycles", "", EventType::Hardware, 9},
};

constexpr GenericEvent kSoftware[] = {
    {"cpu-clock", "", EventType::Software, 0},
    {"task-clock", "", EventType::Software, 1},
    {"page-faults", "faults", EventType::Software, 2},
    {"context-switches", "cs", EventType::Software, 3},
    {"cpu-migrations", "migrations", EventType::Software, 4},
    {"minor-faults", "", EventType::Software, 5},
    {"major-faults", "", EventType::Software, 6},
    {"alignment-faults", "", EventType::Software, 7},
    {"emulation-faults", "", EventType::Software, 8},
    {"dummy", "", EventType::Software, 9},
    {"bpf-output", "", EventType::Software, 10},
    {"cgroup-switches", "", EventType::Software, 11},
};

// For the kernel these are dummies: the tool measures them.
constexpr GenericEvent kTool[] = {
    {"duration_time", "", EventType::Software, 9, ToolEvent::DurationTime},
    {"user_time", "", EventType::Software, 9, ToolEvent::UserTime},
    {"system_time", "", EventType::Software, 9, ToolEvent::SystemTime},
};

// The first spelling in each row is printed; config is the row number.
using Spellings = std::array<std::string_view, 5>;
constexpr Spellings kCacheSpellings[kCacheCount] = {
    {"L1-dcache", "l1-d", "l1d", "L1-data"},
    {"L1-icache", "l1-i", "l1i", "L1-instruction"},
    {"LLC", "L2"},
    {"dTLB", "d-tlb", "Data-TLB"},
    {"iTLB", "i-tlb", "Instruction-TLB"},
    {"branch", "bpu", "btb", "bpc", "branches"},
    {"node"},
};
constexpr Spellings kOperationSpellings[kCacheOperationCount] = {
    {"load", "loads", "read"},
    {"store", "stores", "write"},
    {"prefetch", "prefetches", "speculative-read", "speculative-load"},
};
constexpr Spellings kResultSpellings[kCacheResultCount] = {{"refs", "Reference", "ops", "access"}, {"misses", "miss"}};

// The operations of each cache: bit 0 load, bit 1 store, bit 2 prefetch.
constexpr unsigned kOperationMask[kCacheCount] = {0b111, 0b101, 0b111, 0b111, 0b001, 0b001, 0b111};

// The row with the longest spelling that begins `text` and ends at a '-' or the end. Removes the spelling and the '-'.
template <std::size_t Rows>
std::optional<unsigned> take_spelling(std::string_view& text, const Spellings (&table)[Rows]) {
  std::optional<unsigned> row;
  std::size_t longest = 0;
  for (unsigned i = 0; i < Rows; ++i)
    for (const auto spelling : table[i])
      if (spelling.size() > longest && text.starts_with(spelling) &&
          (text.size() == spelling.size() || text[spelling.size()] == '-')) {
        longest = spelling.size();
        row = i;
      }
  if (row) text.remove_prefix(std::min(longest + 1, text.size()));
  return row;
}

}  // namespace

std::span<const GenericEvent> hardware_events() { return kHardware; }
std::span<const GenericEvent> software_events() { return kSoftware; }
std::span<const GenericEvent> tool_events() { return kTool; }

const GenericEvent* find_generic_event(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const auto table : {hardware_events(), software_events(), tool_events()})
    for (const auto& event : table)
      if (event.name == name || event.alias == name) return &event;
  return nullptr;
}

std::string_view cache_type_name(unsigned cache) { return cache < kCacheCount ? kCacheSpellings[cache][0] : ""; }

bool cache_operation_exists(unsigned cache, unsigned operation) {
  return cache < kCacheCount && operation < kCacheOperationCount && (kOperationMask[cache] >> operation & 1) != 0;
}

std::optional<u64> parse_cache_event(std::string_view text) {
  if (text.ends_with('-')) return std::nullopt;
  const auto cache = take_spelling(text, kCacheSpellings);
  if (!cache) return std::nullopt;
  unsigned operation = 0, result = 0;
  bool has_operation = false, has_result = false;
  while (!text.empty()) {
    if (const auto found = take_spelling(text, kOperationSpellings); found && !has_operation) {
      operation = *found;
      has_operation = true;
    } else if (const auto outcome = take_spelling(text, kResultSpellings); outcome && !has_result && !found) {
      result = *outcome;
      has_result = true;
    } else {
      return std::nullopt;
    }
  }
  if (!cache_operation_exists(*cache, operation)) return std::nullopt;
  return *cache | operation << 8 | result << 16;
}

std::optional<u64> parse_raw_event(std::string_view text) {
  if (text.size() < 2 || text[0] != 'r') return std::nullopt;
  const auto digits = text.substr(1);
  return to_number((digits.starts_with("0x") ? "" : "0x") + std::string(digits));
}

}  // namespace peregrine
