// Copies the rest of a pipe to an unnamed file, for formats that readers seek in: trace.dat, archives, compressed
// files.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

// Returns the first bytes of a pipe, at least one unless it has ended, and leaves them there. Errors: System.
Result<std::vector<std::byte>> peek_pipe(const Fd& pipe);
// The file is in the file system of `temporary`, and disappears when its descriptor is closed. `name` is for errors:
// System, with a hint, if the file system would become full.
Result<Fd> spool_input(const Fd& pipe, const std::string& name, const std::string& temporary);

}  // namespace peregrine
