// Catalogue: everything `list` can show, with linux-perf's label for each kind. Data only; cmd selects, output prints.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "event/source.h"

namespace peregrine {

enum class EventKind {
  Hardware,
  Software,
  Tool,
  HardwareCache,
  KernelPmu,
  Named,  // known for the processor model
  Sensor,
  Descriptor,
  Tracepoint,
  Sdt,
  LibPfm,  // in libpfm4's syntax
};

struct CatalogueEntry {
  EventKind kind = EventKind::Software;
  std::string name;        // what -e takes: "cpu-cycles", "sched:sched_switch", "cpu/mem-loads/"
  std::string alias;       // "cycles", or ""
  std::string shown;       // "cpu-cycles OR cycles"
  std::string_view label;  // "Hardware event", "Kernel PMU event" …
  std::string pmu;         // of PMU events
  std::string topic;       // heading for named events
  std::string description, long_description;
  std::string encoding;  // "cpu/event=0xc4,umask=0x2/"
  bool deprecated = false;
};

// Selects all entries, or those with a name, alias or PMU name that matches a glob. For tracepoints and SDT events
// `glob` matches only the event part and `system` the other ("" matches any).
struct CatalogueFilter {
  std::string glob;
  std::string system;
  std::string pmu;          // --unit: a glob; only events of PMUs
  bool deprecated = false;  // include deprecated events
  std::string sdt_cache;    // the build-id cache's folder
};

// Whether the kernel can open a counter of (type, config); supplied by cmd, faked in tests.
using CanOpen = std::function<bool(u32 type, u64 config)>;

// The entries of one kind in linux-perf's order: by name; PMU events with the CPU's first; named ones by topic.
// Hardware, software and cache events are filtered by `can_open`. Errors for tracepoints: those of Tracefs::find.
Result<std::vector<CatalogueEntry>> catalogue(EventSources& sources, EventKind kind, const CatalogueFilter& filter,
                                              const CanOpen& can_open);

}  // namespace peregrine
