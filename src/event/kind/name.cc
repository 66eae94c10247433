#include "event/kind/name.h"

#include <fmt/format.h>

#include "base/types.h"
#include "event/kind/generic_event.h"

namespace peregrine {

namespace {

// The spelling of a hardware event that linux-perf prints.
std::string_view printed(const GenericEvent& event) {
  return event.config == 0 || event.config == 4 ? event.alias : event.name;
}

std::string breakpoint_name(const abi::EventAttr& attr) {
  std::string name = fmt::format("mem:0x{:x}:", attr.config1);
  if (attr.bp_type & 1) name += 'r';
  if (attr.bp_type & 2) name += 'w';
  if (attr.bp_type & 4) name += 'x';
  return name;
}

std::string_view or_else(std::string_view name, std::string_view other) { return name.empty() ? other : name; }

// Since 5.13 the upper half of config may select a hybrid CPU's PMU.
bool names_a_pmu(const abi::EventAttr& attr) { return (attr.config >> 32) != 0; }

}  // namespace

std::string_view hardware_name(u64 config) {
  const auto table = hardware_events();
  return config < table.size() ? printed(table[config]) : "";
}

std::string_view software_name(u64 config) {
  const auto table = software_events();
  return config < table.size() ? table[config].name : "";
}

std::string cache_name(u64 config) {
  static constexpr std::string_view kSingular[] = {"load", "store", "prefetch"};
  static constexpr std::string_view kPlural[] = {"loads", "stores", "prefetches"};
  const unsigned cache = config & 0xff, operation = (config >> 8) & 0xff, result = (config >> 16) & 0xff;
  if (result >= kCacheResultCount || !cache_operation_exists(cache, operation)) return {};
  if (result == 1) return fmt::format("{}-{}-misses", cache_type_name(cache), kSingular[operation]);
  return fmt::format("{}-{}", cache_type_name(cache), kPlural[operation]);
}

std::string modifier_suffix(const abi::EventAttr& attr) {
  namespace flag = abi::attr_flag;
  std::string suffix;
  bool guest_default = false;
  if (attr.has(flag::ExcludeKernel | flag::ExcludeUser | flag::ExcludeHv)) {
    if (!attr.has(flag::ExcludeKernel)) suffix += 'k';
    if (!attr.has(flag::ExcludeUser)) suffix += 'u';
    if (!attr.has(flag::ExcludeHv)) suffix += 'h';
    guest_default = true;
  }
  if (attr.precise_ip() != 0) {
    suffix.append(attr.precise_ip(), 'p');
    guest_default = true;
  }
  if (attr.has(flag::ExcludeHost) || attr.has(flag::ExcludeGuest) == guest_default) {
    if (!attr.has(flag::ExcludeHost)) suffix += 'H';
    if (!attr.has(flag::ExcludeGuest)) suffix += 'G';
  }
  return suffix.empty() ? suffix : ':' + suffix;
}

std::string event_name(const abi::EventAttr& attr) {
  switch (static_cast<abi::EventType>(attr.type)) {
    case abi::EventType::Hardware:
      if (names_a_pmu(attr))
        return fmt::format("cpu/{}/", or_else(hardware_name(attr.config & 0xffffffff), "unknown-hardware")) +
               modifier_suffix(attr);
      return std::string(or_else(hardware_name(attr.config), "unknown-hardware")) + modifier_suffix(attr);
    case abi::EventType::Software: {
      // linux-perf 6.1 lacks names for bpf-output and cgroup-switches here.
      constexpr u64 kDummy = static_cast<u64>(abi::SoftwareEvent::Dummy);
      const auto name = attr.config <= kDummy ? software_name(attr.config) : std::string_view();
      return std::string(or_else(name, "unknown-software")) + modifier_suffix(attr);
    }
    case abi::EventType::Tracepoint:
      return "unknown tracepoint";
    case abi::EventType::HwCache: {
      const unsigned cache = attr.config & 0xff, operation = (attr.config >> 8) & 0xff,
                     result = (attr.config >> 16) & 0xff;
      std::string name = cache_name(attr.config);
      if (cache >= kCacheCount)
        name = "unknown-ext-hardware-cache-type";
      else if (operation >= kCacheOperationCount)
        name = "unknown-ext-hardware-cache-op";
      else if (result >= kCacheResultCount)
        name = "unknown-ext-hardware-cache-result";
      else if (name.empty())
        name = "invalid-cache";
      return name + modifier_suffix(attr);
    }
    case abi::EventType::Raw:
      return fmt::format("raw 0x{:x}", attr.config) + modifier_suffix(attr);
    case abi::EventType::Breakpoint:
      return breakpoint_name(attr) + modifier_suffix(attr);
  }
  return fmt::format("unknown attr type: {}", static_cast<i32>(attr.type));
}

}  // namespace peregrine
