#include "event/config/stat_config.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"
#include "event/kind/core_event.h"
#include "event/kind/name.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

namespace {

namespace flag = abi::attr_flag;

constexpr u64 kCacheLoad = 0, kCachePrefetch = 2u << 8, kCacheMiss = 1u << 16;
enum CacheIndex : u64 { kL1Data = 0, kL1Instruction = 1, kLastLevel = 2, kDataTlb = 3, kInstructionTlb = 4 };

// The cache events that each further -d adds.
constexpr u64 kDetails[][6] = {
    {kL1Data | kCacheLoad, kL1Data | kCacheMiss, kLastLevel | kCacheLoad, kLastLevel | kCacheMiss},
    {kL1Instruction | kCacheLoad, kL1Instruction | kCacheMiss, kDataTlb | kCacheLoad, kDataTlb | kCacheMiss,
     kInstructionTlb | kCacheLoad, kInstructionTlb | kCacheMiss},
    {kL1Data | kCachePrefetch, kL1Data | kCachePrefetch | kCacheMiss},
};
constexpr std::size_t kDetailSizes[] = {4, 6, 2};

void add(EventSources& sources, abi::EventType type, u64 config, EventList& list) {
  EventSpec spec;
  spec.attr.type = static_cast<u32>(type);
  spec.attr.config = config;
  spec.attr.set(flag::ExcludeGuest, !sources.guest);
  spec.attr.set(flag::ExcludeHost, !sources.host);
  spec.name = event_name(spec.attr);
  if (type == abi::EventType::Software && config <= static_cast<u64>(abi::SoftwareEvent::TaskClock)) {
    spec.unit = "msec";
    spec.scale = 1e-6;
  }
  for (auto& one : spread_over_cores(sources, spec)) {
    one.leader = list.size();
    list.push_back(std::move(one));
  }
}

void add_defaults(EventSources& sources, bool system_wide, EventList& list) {
  using abi::EventType;
  const auto software = [&](abi::SoftwareEvent event) {
    add(sources, EventType::Software, static_cast<u64>(event), list);
  };
  const auto hardware = [&](abi::HardwareEvent event) {
    add(sources, EventType::Hardware, static_cast<u64>(event), list);
  };
  const Pmu* cpu = sources.pmu("cpu");
  const auto cpu_has = [&](std::string_view name) { return cpu != nullptr && cpu->event(name) != nullptr; };
  software(system_wide ? abi::SoftwareEvent::CpuClock : abi::SoftwareEvent::TaskClock);
  software(abi::SoftwareEvent::ContextSwitches);
  software(abi::SoftwareEvent::CpuMigrations);
  software(abi::SoftwareEvent::PageFaults);
  hardware(abi::HardwareEvent::Cycles);
  if (cpu_has("stalled-cycles-frontend")) hardware(abi::HardwareEvent::StalledCyclesFrontend);
  if (cpu_has("stalled-cycles-backend")) hardware(abi::HardwareEvent::StalledCyclesBackend);
  hardware(abi::HardwareEvent::Instructions);
  hardware(abi::HardwareEvent::BranchInstructions);
  hardware(abi::HardwareEvent::BranchMisses);
}

const char* recording_term(const EventTerms& terms) {
  if (terms.freq) return "freq";
  if (terms.time) return "time";
  if (terms.callgraph) return "call-graph";
  if (terms.stack_size) return "stack-size";
  if (terms.inherit) return "inherit";
  if (terms.max_stack) return "max-stack";
  if (terms.max_events) return "nr";
  if (terms.overwrite) return "overwrite";
  if (terms.branch) return "branch_type";
  if (terms.driver_config) return "driver-config";
  if (terms.aux_output) return "aux-output";
  if (terms.aux_sample_size) return "aux-sample-size";
  if (terms.aux_action) return "aux-action";
  if (terms.ratio_to_prev) return "ratio-to-prev";
  return nullptr;
}

// A retire latency is sampled separately, so it cannot lead a group: the first event that counts leads, and latencies
// before it are ungrouped.
void pass_leadership(EventList& list, std::size_t leader) {
  const std::size_t end = leader + list[leader].group_size;
  while (leader < end && list[leader].retire_latency) {
    list[leader].group_size = 1;
    if (++leader == end) return;
    const std::size_t old = leader - 1;
    for (std::size_t i = leader; i < end; ++i) list[i].leader = leader;
    list[leader].group_size = end - leader;
    list[leader].group_name = list[old].group_name;
  }
}

}  // namespace

void add_stat_events(EventSources& sources, bool system_wide, int detail, EventList& list) {
  if (list.empty()) add_defaults(sources, system_wide, list);
  for (int level = 0; level < std::min(detail, 3); ++level)
    for (std::size_t i = 0; i < kDetailSizes[level]; ++i)
      add(sources, abi::EventType::HwCache, kDetails[level][i], list);
}

Result<> configure_for_stat(const StatOptions& options, EventList& list) {
  using namespace abi::read_bit;
  if (options.group) join_group(list);
  for (std::size_t i = 0; i < list.size(); ++i)
    if (is_leader(list, i) && list[i].group_size > 1) pass_leadership(list, i);
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto& spec = list[i];
    if (const char* term = recording_term(spec.terms))
      return fail(ErrorKind::Usage, "event syntax error: '{}': '{}' is not usable in 'perf stat'", spec.name, term);
    if (spec.retire_latency) {
      spec.tool = ToolEvent::RetireLatency;
      spec.unit.clear();  // the result is in cycles, whatever the event counts
      spec.scale = 1;
    }
    auto& attr = spec.attr;
    const bool leader = spec.leader == i;
    attr.read_format = TotalTimeEnabled | TotalTimeRunning;
    if (list[spec.leader].group_size > 1) attr.read_format |= abi::read_bit::Id | Group;
    attr.sample_type = abi::sample_bit::Identifier;
    attr.sample_period = 0;
    attr.set(flag::Freq, false);
    attr.set(flag::Inherit, options.inherit);
    if (options.all_user) attr.flags = (attr.flags | flag::ExcludeKernel) & ~flag::ExcludeUser;
    if (options.all_kernel) attr.flags = (attr.flags | flag::ExcludeUser) & ~flag::ExcludeKernel;
    if (leader) attr.set(flag::Disabled);
    if (leader && options.workload && options.initial_delay_ms == 0) attr.set(flag::EnableOnExec);
    attr.size = abi::written_size(attr);
  }
  return {};
}

}  // namespace peregrine
