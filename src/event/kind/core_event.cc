#include "event/kind/core_event.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/types.h"
#include "event/term.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

namespace {

using abi::EventType;

// The PMUs of Intel's hybrid processors accept the generic events directly.
bool takes_generic(const Pmu& pmu) { return pmu.name == "cpu" || pmu.name.starts_with("cpu_"); }

struct OwnName {
  EventType type;
  u64 config;
  std::string_view name;  // in the events/ folder of Arm PMUs
};

constexpr u64 kMissBit = 1u << 16;
constexpr OwnName kOwnNames[] = {
    {EventType::Hardware, 0, "cpu_cycles"},
    {EventType::Hardware, 1, "inst_retired"},
    {EventType::Hardware, 2, "l1d_cache"},
    {EventType::Hardware, 3, "l1d_cache_refill"},
    {EventType::Hardware, 4, "br_retired"},
    {EventType::Hardware, 4, "pc_write_retired"},
    {EventType::Hardware, 4, "br_pred"},
    {EventType::Hardware, 5, "br_mis_pred"},
    {EventType::Hardware, 6, "bus_cycles"},
    {EventType::Hardware, 7, "stall_frontend"},
    {EventType::Hardware, 8, "stall_backend"},
    {EventType::HwCache, 0, "l1d_cache"},
    {EventType::HwCache, 0 | kMissBit, "l1d_cache_refill"},
    {EventType::HwCache, 1, "l1i_cache"},
    {EventType::HwCache, 1 | kMissBit, "l1i_cache_refill"},
    {EventType::HwCache, 3, "l1d_tlb"},
    {EventType::HwCache, 3 | kMissBit, "l1d_tlb_refill"},
    {EventType::HwCache, 4, "l1i_tlb"},
    {EventType::HwCache, 4 | kMissBit, "l1i_tlb_refill"},
    {EventType::HwCache, 5, "br_pred"},
    {EventType::HwCache, 5 | kMissBit, "br_mis_pred"},
};

// The number of the PMU's event that corresponds to a generic one.
std::optional<u64> own_config(const Pmu& pmu, const abi::EventAttr& attr) {
  for (const auto& [type, config, name] : kOwnNames) {
    if (static_cast<u32>(type) != attr.type || config != attr.config) continue;
    const PmuEvent* event = pmu.event(name);
    const auto terms = event == nullptr ? Parsed<std::vector<Term>>() : split_terms(event->terms, 0);
    if (event != nullptr && terms && terms->size() == 1 && terms->front().key == "event")
      return terms->front().number();
  }
  return std::nullopt;
}

}  // namespace

bool bind_to_core(const Pmu& pmu, EventSpec& spec) {
  auto& attr = spec.attr;
  if (attr.type == static_cast<u32>(EventType::Raw)) {
    attr.type = pmu.type;
  } else if (takes_generic(pmu)) {
    if (pmu.name != "cpu") attr.config |= u64{pmu.type} << kPmuTypeShift;
  } else {
    const auto config = own_config(pmu, attr);
    if (!config) return false;
    spec.stands_for = {attr.type, attr.config};
    attr.type = pmu.type;
    attr.config = *config;
  }
  spec.pmu = pmu.name;
  spec.own_cpus = pmu.cpumask;
  return true;
}

EventList spread_over_cores(EventSources& sources, const EventSpec& spec) {
  const auto& cores = sources.core_pmus();
  EventList spread;
  const auto type = static_cast<EventType>(spec.attr.type);
  const bool of_core = type == EventType::Hardware || type == EventType::HwCache || type == EventType::Raw;
  // On a hybrid machine, the cores of one kind may all be offline.
  const bool several =
      cores.size() > 1 || (cores.size() == 1 && cores.front()->name != "cpu" && takes_generic(*cores.front()));
  if (!of_core || !several || spec.attr.config >> kPmuTypeShift != 0) return {spec};
  for (const Pmu* pmu : cores) {
    EventSpec one = spec;
    if (!bind_to_core(*pmu, one)) return {spec};
    if (takes_generic(*pmu)) one.name = fmt::format("{}/{}/", pmu->name, spec.name);
    one.auto_merge = true;
    spread.push_back(std::move(one));
  }
  return spread;
}

}  // namespace peregrine
