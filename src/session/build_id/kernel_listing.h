// The running kernel, as `buildid-list -k`, `buildid-list -m` and `kallsyms` print it: its build-ids and its symbols.
// `root`: the system; another one than Root() is a copy of its /proc and /sys.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "output/sink.h"
#include "session/session_listener.h"
#include "sys/root.h"

namespace peregrine {

// One line. Errors: NotFound, the kernel has none.
Result<> print_kernel_build_id(const Root& root, Sink& out);
// A line for the kernel, unless it hides its addresses, and one for each module: build-id, first and last address,
// name.
void print_kernel_maps(const Root& root, Sink& out);

struct KernelSymbolRequest {
  std::vector<std::string> words;  // lists of names or globs, separated by commas
  bool verbose = false;            // tell the listener how many symbols there are
};
// Prints a line for each symbol that a word names or matches, those of the kernel first; "WORD: not found" if there is
// none. Errors: Denied, the kernel hides its addresses; /proc/kallsyms cannot be read.
Result<> print_kernel_symbols(const KernelSymbolRequest& request, const Root& root, Sink& out,
                              SessionListener& listener);

}  // namespace peregrine
