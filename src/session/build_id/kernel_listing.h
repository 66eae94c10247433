// The running kernel's build-ids and symbols, as `buildid-list -k`, `buildid-list -m` and `kallsyms` print them.
// `root`: the system; if not Root(), a copy of its /proc and /sys.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "output/sink.h"
#include "session/session_listener.h"
#include "sys/root.h"

namespace peregrine {

// Prints one line. Errors: NotFound, the kernel has no build-id.
Result<> print_kernel_build_id(const Root& root, Sink& out);
// Prints a line for the kernel, unless it hides its addresses, and one for each module: build-id, first and last
// address, name.
void print_kernel_maps(const Root& root, Sink& out);

struct KernelSymbolRequest {
  std::vector<std::string> words;  // comma-separated lists of names or globs
  bool verbose = false;            // tell the listener the number of symbols
};
// Prints a line for each symbol that a name or glob matches, kernel first, or "NAME: not found". Errors: Denied, the
// kernel hides its addresses; /proc/kallsyms cannot be read.
Result<> print_kernel_symbols(const KernelSymbolRequest& request, const Root& root, Sink& out,
                              SessionListener& listener);

}  // namespace peregrine
