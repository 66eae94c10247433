// SDT events: the markers in programs (.note.stapsdt) that linux-perf has noted in the build-id cache, where `probe`
// makes tracepoints of them.
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

// Those of the `probes` files of a build-id cache, by name, then build-id.
std::vector<SdtEvent> read_sdt_events(const Root& root, const std::string& cache);

}  // namespace peregrine
