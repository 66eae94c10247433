#include "event/catalogue.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "event/generic_event.h"
#include "event/name.h"
#include "event/term.h"

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

Entries generic_entries(EventKind kind, const CatalogueFilter& filter, const CanOpen& can_open) {
  Entries entries;
  const auto table = kind == EventKind::Hardware ? hardware_events()
                     : kind == EventKind::Tool   ? tool_events()
                                                 : software_events();
  const std::string_view label = kind == EventKind::Hardware ? "Hardware event"
                                 : kind == EventKind::Tool   ? "Tool event"
                                                             : "Software event";
  for (const auto& event : table) {
    CatalogueEntry entry{kind, std::string(event.name), std::string(event.alias), std::string(event.name), label};
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
          entries.push_back({EventKind::HardwareCache, name, "", name, "Hardware cache event"});
      }
  sort_by_name(entries);
  return entries;
}

// A term that the user must give ("event=?") is shown with the name.
std::string parameters(const PmuEvent& event) {
  std::string text;
  const auto terms = split_terms(event.terms, 0);
  if (!terms) return text;
  for (const auto& term : *terms)
    if (term.value == "?") text += fmt::format(",{}=?", term.key);
  return text;
}

bool is_cpu(const Pmu& pmu) { return pmu.name == "cpu" || pmu.name.starts_with("armv8_"); }

Entries pmu_entries(EventSources& sources, const CatalogueFilter& filter) {
  Entries cpu_events, others;
  for (const auto& pmu : sources.pmus()) {
    for (const auto& event : pmu.events) {
      CatalogueEntry entry{EventKind::KernelPmu, fmt::format("{}/{}{}/", pmu.name, event.name, parameters(event)), "",
                           "", "Kernel PMU event"};
      if (!matches(filter.glob, entry.name, FNM_CASEFOLD) &&
          (is_cpu(pmu) || !matches(filter.glob, event.name, FNM_CASEFOLD)))
        continue;
      entry.shown = is_cpu(pmu) ? event.name + " OR " + entry.name : entry.name;
      (is_cpu(pmu) ? cpu_events : others).push_back(std::move(entry));
    }
    // Tracers have no events of their own: the PMU itself is one.
    const bool tracer = pmu.name == "intel_pt" || pmu.name == "intel_bts";
    if (tracer && matches(filter.glob, pmu.name))
      others.push_back({EventKind::KernelPmu, pmu.name + "//", "", pmu.name + "//", "Kernel PMU event"});
  }
  sort_by_name(cpu_events);
  sort_by_name(others);
  std::move(others.begin(), others.end(), std::back_inserter(cpu_events));
  return cpu_events;
}

Entries descriptors() {
  const auto entry = [](const char* text, std::string_view label) {
    return CatalogueEntry{EventKind::Descriptor, text, "", text, label};
  };
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
      std::string name = system + ':' + event;
      entries.push_back({EventKind::Tracepoint, name, "", name, "Tracepoint event"});
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
      return generic_entries(kind, filter, can_open);
    case EventKind::HardwareCache:
      return cache_entries(filter, can_open);
    case EventKind::KernelPmu:
      return pmu_entries(sources, filter);
    case EventKind::Descriptor:
      return descriptors();
    case EventKind::Tracepoint:
      return tracepoint_entries(sources, filter);
  }
  return Entries{};
}

}  // namespace peregrine
