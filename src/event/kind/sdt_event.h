// SDT events: markers in programs (.note.stapsdt) that linux-perf registered in the build-id cache; `probe` turns them
// into tracepoints.
#pragma once
#include <string>
#include <vector>

#include "sys/root.h"

namespace peregrine {

struct SdtEvent {
  std::string name;      // "sdt_libc:setjmp"
  std::string path;      // of the program
  std::string build_id;  // in hexadecimal
};

// The events in the `probes` files of a build-id cache, by name, then build-id.
std::vector<SdtEvent> read_sdt_events(const Root& root, const std::string& cache);

}  // namespace peregrine
