// perf-PID.map: the symbols a JIT compiler writes to /tmp for its own code, "START SIZE name" per line in hex.
//
// There are no times in it: where entries overlap, the later line is the later code, and named. It is opened as
// run_time_file.h says. Its contents are untrusted; lines that do not parse are skipped and counted.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "symbol/jit/run_time_file.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

struct PerfMap {
  SymbolTable table;
  std::size_t bad_lines = 0;
};

PerfMap parse_perf_map(std::string_view text);

// Errors: those of open_run_time_file().
Result<PerfMap> load_perf_map(const std::string& path, const FileOwners& owners);

}  // namespace peregrine
