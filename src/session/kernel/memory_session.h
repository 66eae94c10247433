// show_kernel_memory(): prints which code allocated kernel memory during a recording, as tables and totals. For kmem
// stat. Main thread only.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "output/sink.h"
#include "output/text/kernel/memory_tables.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

struct MemoryRequest {
  bool slab = false, pages = false;
  MemoryTables tables;
  bool addresses = false;  // show code as addresses instead of names
  std::string times;       // spans; empty: all
};

// Prints slab allocations, then pages. Returns the sides ("slab", "page") for which the recording has no events; these
// are not printed. Errors: Usage (times), a broken file.
Result<std::vector<std::string_view>> show_kernel_memory(TracedRecording& recording, const MemoryRequest& request,
                                                         Sink& out, SessionListener& listener);

}  // namespace peregrine
