// Formulas over the kernel's generic events. Metrics that linux-perf also prints use its unit text and decimals; their
// values were compared with linux-perf's for recorded counts.
#include "analysis/stat/stat_metric.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "abi/attr.h"
#include "analysis/stat/metric_base.h"
#include "base/types.h"

namespace peregrine {

namespace {

using abi::EventType;
using abi::HardwareEvent;
using abi::SoftwareEvent;
using Format = StatMetric::Format;

constexpr u64 cache_config(u64 cache, u64 operation, u64 result) { return cache | operation << 8 | result << 16; }
constexpr u64 kL1d = 0, kL1i = 1, kLastLevel = 2, kDataTlb = 3, kInstructionTlb = 4;
constexpr u64 kCacheRead = 0, kCacheAccess = 0, kCacheMiss = 1;
constexpr u64 hw(HardwareEvent event) { return static_cast<u64>(event); }

// The ratio of two events, as a percentage.
struct Share {
  EventType type;
  u64 config, base;
  const char* unit;
  Format format = Format::Percent;
};
constexpr std::array kShares{
    Share{EventType::Hardware, hw(HardwareEvent::BranchMisses), hw(HardwareEvent::BranchInstructions),
          "of all branches"},
    Share{EventType::Hardware, hw(HardwareEvent::CacheMisses), hw(HardwareEvent::CacheReferences), "of all cache refs",
          Format::FinePercent},
    Share{EventType::Hardware, hw(HardwareEvent::StalledCyclesFrontend), hw(HardwareEvent::Cycles),
          "frontend cycles idle"},
    Share{EventType::Hardware, hw(HardwareEvent::StalledCyclesBackend), hw(HardwareEvent::Cycles),
          "backend cycles idle"},
    Share{EventType::HwCache, cache_config(kL1d, kCacheRead, kCacheMiss), cache_config(kL1d, kCacheRead, kCacheAccess),
          "of all L1-dcache accesses"},
    Share{EventType::HwCache, cache_config(kL1i, kCacheRead, kCacheMiss), cache_config(kL1i, kCacheRead, kCacheAccess),
          "of all L1-icache accesses"},
    Share{EventType::HwCache, cache_config(kLastLevel, kCacheRead, kCacheMiss),
          cache_config(kLastLevel, kCacheRead, kCacheAccess), "of all LL-cache accesses"},
    Share{EventType::HwCache, cache_config(kDataTlb, kCacheRead, kCacheMiss),
          cache_config(kDataTlb, kCacheRead, kCacheAccess), "of all dTLB cache accesses"},
    Share{EventType::HwCache, cache_config(kInstructionTlb, kCacheRead, kCacheMiss),
          cache_config(kInstructionTlb, kCacheRead, kCacheAccess), "of all iTLB cache accesses"},
};

StatMetric rate(double per_second) {
  constexpr std::array<const char*, 4> kUnits{"/sec", "K/sec", "M/sec", "G/sec"};
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && per_second > 1000.0; ++unit) per_second /= 1000.0;
  return {.format = Format::Rate, .value = per_second, .unit = kUnits[unit]};
}

// The clock's share of the elapsed time, or of the time its counters were enabled if that was longer, so that a CPU
// never exceeds 100 %.
StatMetric utilisation(const StatPlaceCounts& place, std::size_t index) {
  StatMetric metric{.format = Format::Rate, .unit = "CPUs utilized"};
  const double window = index < place.window_ns.size() ? place.window_ns[index] : 0;
  if (const double elapsed = std::max(place.wall_ns, window); elapsed > 0) metric.value = place.counts[index] / elapsed;
  return metric;
}

std::vector<StatMetric> instruction_metrics(const MetricBase& base, double instructions) {
  std::vector<StatMetric> metrics{
      metric_of(Format::Ratio, "insn per cycle", instructions, base.hardware(HardwareEvent::Cycles))};
  const double stalled = std::max(base.hardware(HardwareEvent::StalledCyclesFrontend).count.value_or(0),
                                  base.hardware(HardwareEvent::StalledCyclesBackend).count.value_or(0));
  if (stalled > 0 && instructions > 0)
    metrics.push_back({.format = Format::Ratio, .value = stalled / instructions, .unit = "stalled cycles per insn"});
  return metrics;
}

}  // namespace

bool is_clock(const EventSpec& spec) {
  return is_generic(spec, EventType::Software, static_cast<u64>(SoftwareEvent::CpuClock)) ||
         is_generic(spec, EventType::Software, static_cast<u64>(SoftwareEvent::TaskClock));
}

std::vector<StatMetric> stat_metrics(const EventList& events, std::size_t index, const StatPlaceCounts& place) {
  const EventSpec& spec = events[index];
  if (spec.tool == ToolEvent::RetireLatency) return {};  // a time, not a count
  const double count = place.counts[index];
  const MetricBase base(events, index, place);
  if (is_clock(spec)) return {utilisation(place, index)};
  const double clock = base.clock_ns();
  if (is_generic(spec, EventType::Hardware, hw(HardwareEvent::Instructions))) return instruction_metrics(base, count);
  if (is_generic(spec, EventType::Hardware, hw(HardwareEvent::Cycles))) {
    StatMetric metric{.format = Format::Rate, .unit = "GHz"};
    if (clock > 0) metric.value = count / clock;
    return {metric};
  }
  for (const Share& share : kShares)
    if (is_generic(spec, share.type, share.config))
      return {metric_of(share.format, share.unit, count, base.generic(share.type, share.base), 100)};
  if (auto metrics = named_metrics(spec, count, base); !metrics.empty()) return metrics;
  if (clock > 0) return {rate(1e9 * count / clock)};
  return {};
}

}  // namespace peregrine
