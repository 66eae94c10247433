// Catalogue: everything `list` can name, with the label linux-perf gives each kind. Values only; cmd prints them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "event/source.h"

namespace peregrine {

enum class EventKind { Hardware, Software, HardwareCache, Tool, KernelPmu, RawDescriptor, Breakpoint, Tracepoint, Sdt };
// "Hardware event", "Tracepoint event" …
std::string_view kind_label(EventKind kind);

struct CatalogueEntry {
  EventKind kind = EventKind::Software;
  std::string name;   // "cpu-cycles", "sched:sched_switch", "msr/tsc/"
  std::string alias;  // "cycles", or ""
  std::string label;  // kind_label of its kind unless linux-perf prints another
};

// Tells whether the kernel can open a counter for (type, config); capture supplies it, tests fake it.
using CanOpen = std::function<bool(u32 type, u64 config)>;

// The entries of one kind in linux-perf's order. `pattern` is a glob over names ("" = all).
std::vector<CatalogueEntry> catalogue(EventSources& sources, EventKind kind, std::string_view pattern, const CanOpen& can_open);

}  // namespace peregrine
