// Catalogue: everything `list` can name, with the label linux-perf gives each kind. Values only; cmd chooses, output
// prints them.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/source.h"

namespace peregrine {

enum class EventKind {
  Hardware,
  Software,
  Tool,
  HardwareCache,
  KernelPmu,
  Named,  // of the processor model
  Sensor,
  Descriptor,
  Tracepoint,
  Sdt,
  LibPfm,  // in libpfm4's words
};

struct CatalogueEntry {
  EventKind kind = EventKind::Software;
  std::string name;        // what -e takes: "cpu-cycles", "sched:sched_switch", "cpu/mem-loads/"
  std::string alias;       // "cycles", or ""
  std::string shown;       // "cpu-cycles OR cycles"
  std::string_view label;  // "Hardware event", "Kernel PMU event" …
  std::string pmu;         // of PMU events
  std::string topic;       // heading under which named events stand
  std::string description, long_description;
  std::string encoding;  // "cpu/event=0xc4,umask=0x2/"
  bool deprecated = false;
};

// Which entries to give: all of them, or those whose name, alias or PMU's name matches a glob. For tracepoints and SDT
// events the glob is for the event's part alone, and `system` for the other ("" is any).
struct CatalogueFilter {
  std::string glob;
  std::string system;
  std::string pmu;          // --unit: a glob; events of PMUs alone
  bool deprecated = false;  // those too
  std::string sdt_cache;    // the build-id cache's folder
};

// Tells whether the kernel can open a counter of (type, config); cmd supplies it, tests fake it.
using CanOpen = std::function<bool(u32 type, u64 config)>;

// The entries of one kind in linux-perf's order: by name, PMU events those of the CPU first, named ones by topic.
// Hardware, software and cache events only where `can_open` says so. Tracepoints: the error of Tracefs::find.
Result<std::vector<CatalogueEntry>> catalogue(EventSources& sources, EventKind kind, const CatalogueFilter& filter,
                                              const CanOpen& can_open);

}  // namespace peregrine
