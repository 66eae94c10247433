#include "analysis/stat/stat_metric.h"

#include <array>
#include <optional>

namespace peregrine {

namespace {

using abi::EventType;
using abi::HardwareEvent;
using abi::SoftwareEvent;

constexpr u64 cache_config(u64 cache, u64 operation, u64 result) { return cache | operation << 8 | result << 16; }
constexpr u64 kL1d = 0, kL1i = 1, kLastLevel = 2, kDataTlb = 3, kInstructionTlb = 4;
constexpr u64 kRead = 0, kAccess = 0, kMiss = 1;

bool is_generic(const EventSpec& spec, EventType type, u64 config) {
  return spec.attr.type == static_cast<u32>(type) && spec.attr.config == config;
}
bool is_hardware(const EventSpec& spec, HardwareEvent event) {
  return is_generic(spec, EventType::Hardware, static_cast<u64>(event));
}

// A ratio of one event to another, as a percentage.
struct Share {
  EventType type;
  u64 config, base;
  const char* unit;
};
constexpr u64 hw(HardwareEvent event) { return static_cast<u64>(event); }
constexpr std::array kShares{
    Share{EventType::Hardware, hw(HardwareEvent::BranchMisses), hw(HardwareEvent::BranchInstructions),
          "of all branches"},
    Share{EventType::Hardware, hw(HardwareEvent::CacheMisses), hw(HardwareEvent::CacheReferences), "of all cache refs"},
    Share{EventType::Hardware, hw(HardwareEvent::StalledCyclesFrontend), hw(HardwareEvent::Cycles),
          "frontend cycles idle"},
    Share{EventType::Hardware, hw(HardwareEvent::StalledCyclesBackend), hw(HardwareEvent::Cycles),
          "backend cycles idle"},
    Share{EventType::HwCache, cache_config(kL1d, kRead, kMiss), cache_config(kL1d, kRead, kAccess),
          "of all L1-dcache accesses"},
    Share{EventType::HwCache, cache_config(kL1i, kRead, kMiss), cache_config(kL1i, kRead, kAccess),
          "of all L1-icache accesses"},
    Share{EventType::HwCache, cache_config(kLastLevel, kRead, kMiss), cache_config(kLastLevel, kRead, kAccess),
          "of all LL-cache accesses"},
    Share{EventType::HwCache, cache_config(kDataTlb, kRead, kMiss), cache_config(kDataTlb, kRead, kAccess),
          "of all dTLB cache accesses"},
    Share{EventType::HwCache, cache_config(kInstructionTlb, kRead, kMiss),
          cache_config(kInstructionTlb, kRead, kAccess), "of all iTLB cache accesses"},
};

class Place {
 public:
  Place(const EventList& events, std::size_t index, const StatPlaceCounts& counts)
      : events_(events), own_(events[index]), counts_(counts) {}

  // The count of the event (type, config) that looks at the same modes as ours; absent or uncounted: nothing.
  std::optional<double> find(EventType type, u64 config) const {
    constexpr u64 kModes = abi::attr_flag::ExcludeUser | abi::attr_flag::ExcludeKernel | abi::attr_flag::ExcludeHv |
                           abi::attr_flag::ExcludeHost | abi::attr_flag::ExcludeIdle;
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (counts_.counted[i] && is_generic(events_[i], type, config) &&
          (events_[i].attr.flags & kModes) == (own_.attr.flags & kModes))
        return counts_.counts[i];
    return std::nullopt;
  }
  std::optional<double> find(HardwareEvent event) const { return find(EventType::Hardware, hw(event)); }

  // Mean over all clock events, in ns: what a rate is per.
  double clock_ns() const {
    double sum = 0;
    unsigned clocks = 0;
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (counts_.counted[i] && is_clock(events_[i])) {
        sum += counts_.counts[i];
        ++clocks;
      }
    return clocks == 0 ? 0 : sum / clocks;
  }

 private:
  const EventList& events_;
  const EventSpec& own_;
  const StatPlaceCounts& counts_;
};

StatMetric rate(double per_second) {
  constexpr std::array<const char*, 4> kUnits{"/sec", "K/sec", "M/sec", "G/sec"};
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && per_second > 1000.0; ++unit) per_second /= 1000.0;
  return {StatMetric::Style::Rate, per_second, kUnits[unit]};
}

void instruction_metrics(const Place& place, double instructions, std::vector<StatMetric>& metrics) {
  if (const auto cycles = place.find(HardwareEvent::Cycles); cycles && *cycles > 0)
    metrics.push_back({StatMetric::Style::Ratio, instructions / *cycles, "insn per cycle"});
  const double stalled = std::max(place.find(HardwareEvent::StalledCyclesFrontend).value_or(0),
                                  place.find(HardwareEvent::StalledCyclesBackend).value_or(0));
  if (stalled > 0 && instructions > 0)
    metrics.push_back({StatMetric::Style::Ratio, stalled / instructions, "stalled cycles per insn"});
}

}  // namespace

bool is_clock(const EventSpec& spec) {
  return is_generic(spec, EventType::Software, static_cast<u64>(SoftwareEvent::CpuClock)) ||
         is_generic(spec, EventType::Software, static_cast<u64>(SoftwareEvent::TaskClock));
}

std::vector<StatMetric> stat_metrics(const EventList& events, std::size_t index, const StatPlaceCounts& counts) {
  const EventSpec& spec = events[index];
  const double count = counts.counts[index];
  const Place place(events, index, counts);
  std::vector<StatMetric> metrics;
  if (is_clock(spec)) {
    if (counts.wall_ns > 0) metrics.push_back({StatMetric::Style::Rate, count / counts.wall_ns, "CPUs utilized"});
    return metrics;
  }
  const double clock = place.clock_ns();
  if (is_hardware(spec, HardwareEvent::Instructions)) {
    instruction_metrics(place, count, metrics);
    return metrics;
  }
  if (is_hardware(spec, HardwareEvent::Cycles)) {
    if (clock > 0) metrics.push_back({StatMetric::Style::Rate, count / clock, "GHz"});
    return metrics;
  }
  for (const Share& share : kShares) {
    if (!is_generic(spec, share.type, share.config)) continue;
    if (const auto base = place.find(share.type, share.base)) {
      if (*base > 0) metrics.push_back({StatMetric::Style::Percent, 100.0 * count / *base, share.unit});
      return metrics;
    }
  }
  if (clock > 0) metrics.push_back(rate(1e9 * count / clock));
  return metrics;
}

}  // namespace peregrine
