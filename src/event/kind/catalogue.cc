#include "event/kind/catalogue.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <tuple>
#include <utility>

#include "abi/attr.h"
#include "base/result.h"
#include "base/types.h"
#include "event/kind/generic_event.h"
#include "event/kind/machine_number.h"
#include "event/kind/name.h"
#include "event/kind/sdt_event.h"
#include "event/term.h"
#include "event/vendor/named_event.h"
#include "sys/hardware/pmu.h"
#include "sys/hardware/sensor.h"
#include "sys/process/drm_client.h"

namespace peregrine {

namespace {

using Entries = std::vector<CatalogueEntry>;

bool matches(const std::string& glob, const std::string& text, int flags = 0) {
  return glob.empty() || ::fnmatch(glob.c_str(), text.c_str(), flags) == 0;
}

void sort_by_name(Entries& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const CatalogueEntry& a, const CatalogueEntry& b) { return a.name < b.name; });
}

CatalogueEntry plain(EventKind kind, std::string name, std::string_view label) {
  CatalogueEntry entry;
  entry.kind = kind;
  entry.shown = name;
  entry.name = std::move(name);
  entry.label = label;
  return entry;
}

// The machine's numbers (tool/NAME/) that are known here.
Entries machine_entries(EventSources& sources, const CatalogueFilter& filter) {
  Entries entries;
  for (const MachineNumber& number : machine_numbers()) {
    const std::string name = fmt::format("tool/{}/", number.name);
    if (!matches(filter.glob, name) && !matches(filter.glob, std::string(number.name))) continue;
    if (!machine_number(sources, {}, number.name)) continue;
    entries.push_back(plain(EventKind::Tool, name, "Tool event"));
    entries.back().description = number.description;
  }
  return entries;
}

Entries generic_entries(EventSources& sources, EventKind kind, const CatalogueFilter& filter, const CanOpen& can_open) {
  Entries entries;
  const auto table = kind == EventKind::Hardware ? hardware_events()
                     : kind == EventKind::Tool   ? tool_events()
                                                 : software_events();
  const std::string_view label = kind == EventKind::Hardware ? "Hardware event"
                                 : kind == EventKind::Tool   ? "Tool event"
                                                             : "Software event";
  if (kind == EventKind::Tool) entries = machine_entries(sources, filter);
  for (const auto& event : table) {
    CatalogueEntry entry;
    entry.kind = kind;
    entry.name = entry.shown = event.name;
    entry.alias = event.alias;
    entry.label = label;
    if (!matches(filter.glob, entry.name) && (entry.alias.empty() || !matches(filter.glob, entry.alias))) continue;
    if (kind != EventKind::Tool && !can_open(static_cast<u32>(event.type), event.config)) continue;
    if (!entry.alias.empty()) entry.shown += " OR " + entry.alias;
    entries.push_back(std::move(entry));
  }
  if (kind != EventKind::Tool) sort_by_name(entries);
  return entries;
}

Entries cache_entries(const CatalogueFilter& filter, const CanOpen& can_open) {
  Entries entries;
  for (unsigned cache = 0; cache < kCacheCount; ++cache)
    for (unsigned operation = 0; operation < kCacheOperationCount; ++operation)
      for (unsigned result = 0; result < kCacheResultCount; ++result) {
        const u64 config = cache | operation << 8 | result << 16;
        const std::string name = cache_name(config);
        if (name.empty() || !matches(filter.glob, name)) continue;
        if (can_open(static_cast<u32>(abi::EventType::HwCache), config))
          entries.push_back(plain(EventKind::HardwareCache, name, "Hardware cache event"));
      }
  sort_by_name(entries);
  return entries;
}

// Lists the terms that the user must supply ("event=?") after the name.
std::string parameters(const PmuEvent& event) {
  std::string text;
  const auto terms = split_terms(event.terms, 0);
  if (!terms) return text;
  for (const auto& term : *terms)
    if (term.value == "?") text += fmt::format(",{}=?", term.key);
  return text;
}

bool is_cpu(const Pmu& pmu) {
  return pmu.name == "cpu" || (pmu.is_core && (pmu.name.starts_with("cpu_") || pmu.name.starts_with("armv8_")));
}

Entries pmu_entries(EventSources& sources, const CatalogueFilter& filter) {
  Entries cpu_events, others;
  for (const auto& pmu : sources.pmus()) {
    if (!matches(filter.pmu, pmu.name)) continue;
    for (const auto& event : pmu.events) {
      auto entry = plain(EventKind::KernelPmu, fmt::format("{}/{}{}/", pmu.name, event.name, parameters(event)),
                         "Kernel PMU event");
      if (!matches(filter.glob, entry.name, FNM_CASEFOLD) &&
          (is_cpu(pmu) || !matches(filter.glob, event.name, FNM_CASEFOLD)))
        continue;
      if (is_cpu(pmu)) entry.shown = event.name + " OR " + entry.name;
      entry.pmu = pmu.name;
      entry.encoding = fmt::format("{}/{}/", pmu.name, event.terms);
      (is_cpu(pmu) ? cpu_events : others).push_back(std::move(entry));
    }
    // Tracers list no events: the PMU itself is the event.
    const bool tracer = pmu.name == "intel_pt" || pmu.name == "intel_bts";
    if (tracer && matches(filter.glob, pmu.name)) {
      others.push_back(plain(EventKind::KernelPmu, pmu.name + "//", "Kernel PMU event"));
      others.back().pmu = pmu.name;
    }
  }
  std::sort(cpu_events.begin(), cpu_events.end(),
            [](const CatalogueEntry& a, const CatalogueEntry& b) { return a.shown < b.shown; });
  sort_by_name(others);
  std::move(others.begin(), others.end(), std::back_inserter(cpu_events));
  return cpu_events;
}

std::string topic_of(const NamedEvent& event) {
  if (!event.topic.empty()) return event.topic;
  if (event.pmu.empty()) return "processor";
  std::string topic = event.pmu;
  std::replace(topic.begin(), topic.end(), '_', ' ');
  return topic;
}

// The processor's events that some PMU of this machine can count.
Entries named_entries(EventSources& sources, const CatalogueFilter& filter) {
  Entries entries;
  const std::string* before = nullptr;
  for (const auto& named : sources.named().all()) {
    const auto& name = named.event.name;
    const bool again = before != nullptr && *before == name;  // the first of equal names wins
    before = &name;
    if (again || (named.deprecated && !filter.deprecated)) continue;
    const auto& pmus = sources.pmus();
    const auto pmu = std::find_if(pmus.begin(), pmus.end(), [&](const Pmu& p) { return counts_on(p, named.pmu); });
    if (pmu == pmus.end() || !matches(filter.pmu, pmu->name)) continue;
    if (!matches(filter.glob, name, FNM_CASEFOLD) && !matches(filter.glob, pmu->name + '/' + name + '/', FNM_CASEFOLD))
      continue;
    auto entry = plain(EventKind::Named, name, "Kernel PMU event");
    entry.alias = named.other;
    entry.pmu = pmu->name;
    entry.topic = topic_of(named);
    entry.description = named.description;
    entry.long_description = named.long_description.empty() ? named.description : named.long_description;
    if (!named.pmu.empty())
      for (std::string* text : {&entry.description, &entry.long_description})
        if (!text->empty()) *text += (text->ends_with('.') ? " Unit: " : ". Unit: ") + named.pmu;
    entry.encoding = fmt::format("{}/{}/", pmu->name, named.event.terms);
    entry.deprecated = named.deprecated;
    entries.push_back(std::move(entry));
  }
  std::stable_sort(entries.begin(), entries.end(), [](const CatalogueEntry& a, const CatalogueEntry& b) {
    return std::tie(a.topic, a.name) < std::tie(b.topic, b.name);
  });
  return entries;
}

// All events of this processor, even if no PMU is available to count them.
Entries libpfm_entries(EventSources& sources, const CatalogueFilter& filter) {
  Entries entries;
  for (const auto& named : sources.named().all()) {
    if (named.other.empty() || !named.pmu.empty()) continue;
    if (!matches(filter.glob, named.other, FNM_CASEFOLD) && !matches(filter.glob, named.event.name)) continue;
    auto entry = plain(EventKind::LibPfm, named.other, "libpfm4 event");
    entry.alias = named.event.name;
    entry.description = entry.long_description = named.description;
    entry.encoding = fmt::format("cpu/{}/", named.event.terms);
    entries.push_back(std::move(entry));
  }
  sort_by_name(entries);
  return entries;
}

// "sdt_libc:setjmp"; a name that several programs have is listed as "sdt_libc:setjmp@/lib/libc.so.6(499771b07338)".
Entries sdt_entries(EventSources& sources, const CatalogueFilter& filter) {
  Entries entries;
  const auto events = read_sdt_events(sources.root(), filter.sdt_cache);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& name = events[i].name;
    const auto colon = name.find(':');
    if (!matches(filter.system, name.substr(0, colon)) || !matches(filter.glob, name.substr(colon + 1))) continue;
    const bool shared = (i > 0 && events[i - 1].name == name) || (i + 1 < events.size() && events[i + 1].name == name);
    auto entry = plain(EventKind::Sdt, name, "SDT event");
    if (shared) entry.shown = fmt::format("{}@{}({:.12})", name, events[i].path, events[i].build_id);
    entries.push_back(std::move(entry));
  }
  return entries;
}

Entries sensor_entries(EventSources& sources, const CatalogueFilter& filter) {
  Entries entries;
  auto sensors = read_sensors(sources.root());
  std::ranges::move(drm_sensors(sources.root()), std::back_inserter(sensors));
  for (const auto& sensor : sensors) {
    const bool graphics = sensor.pmu.starts_with("drm_");
    auto entry = plain(EventKind::Sensor, fmt::format("{}/{}/", sensor.pmu, sensor.name),
                       graphics ? "DRM event" : "Hwmon PMU event");
    if (!matches(filter.pmu, sensor.pmu)) continue;
    if (!matches(filter.glob, entry.name, FNM_CASEFOLD) && !matches(filter.glob, sensor.label, FNM_CASEFOLD)) continue;
    entry.alias = sensor.label;
    if (!sensor.label.empty()) entry.shown = sensor.label + " OR " + entry.name;
    entry.pmu = sensor.pmu;
    entry.topic = graphics ? "drm" : "hwmon";
    entry.description = entry.long_description = sensor.description;
    entries.push_back(std::move(entry));
  }
  sort_by_name(entries);
  return entries;
}

Entries descriptors() {
  const auto entry = [](const char* text, std::string_view label) { return plain(EventKind::Descriptor, text, label); };
  return {entry("rNNN", "Raw hardware event descriptor"),
          entry("cpu/t1=v1[,t2=v2,t3 ...]/modifier", "Raw hardware event descriptor"),
          entry("mem:<addr>[/len][:access]", "Hardware breakpoint")};
}

Result<Entries> tracepoint_entries(EventSources& sources, const CatalogueFilter& filter) {
  const auto tracefs = sources.tracefs();
  if (!tracefs) return std::unexpected(tracefs.error());
  Entries entries;
  for (const auto& system : (*tracefs)->systems()) {
    if (!matches(filter.system, system)) continue;
    for (const auto& event : (*tracefs)->events(system)) {
      if (!matches(filter.glob, event)) continue;
      entries.push_back(plain(EventKind::Tracepoint, system + ':' + event, "Tracepoint event"));
    }
  }
  sort_by_name(entries);
  return entries;
}

}  // namespace

Result<std::vector<CatalogueEntry>> catalogue(EventSources& sources, EventKind kind, const CatalogueFilter& filter,
                                              const CanOpen& can_open) {
  switch (kind) {
    case EventKind::Hardware:
    case EventKind::Software:
    case EventKind::Tool:
      return generic_entries(sources, kind, filter, can_open);
    case EventKind::HardwareCache:
      return cache_entries(filter, can_open);
    case EventKind::KernelPmu:
      return pmu_entries(sources, filter);
    case EventKind::Named:
      return named_entries(sources, filter);
    case EventKind::LibPfm:
      return libpfm_entries(sources, filter);
    case EventKind::Sdt:
      return sdt_entries(sources, filter);
    case EventKind::Sensor:
      return sensor_entries(sources, filter);
    case EventKind::Descriptor:
      return descriptors();
    case EventKind::Tracepoint:
      return tracepoint_entries(sources, filter);
  }
  return Entries{};
}

}  // namespace peregrine
