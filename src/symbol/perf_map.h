// perf-PID.map: the symbols a JIT compiler writes to /tmp for its own code, "START SIZE name" per line in hex.
//
// The name is predictable and the folder is everybody's, so the file is opened without following links or blocking and
// must be a regular one of a trusted owner. Its contents are untrusted; lines that do not parse are skipped and
// counted.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "symbol/symbol_table.h"

namespace peregrine {

struct PerfMap {
  SymbolTable table;
  std::size_t bad_lines = 0;
};

PerfMap parse_perf_map(std::string_view text);

// Denied when it is no regular file, or belongs neither to `reader` nor to root; without `reader` any owner will do
// (-f). Root takes everybody's, as linux-perf does: to profile other users' programs is what it is asked for.
Result<PerfMap> load_perf_map(const std::string& path, std::optional<uid_t> reader);

}  // namespace peregrine
