// perf-PID.map: the symbols of JIT-compiled code that a JIT writes to /tmp, "START SIZE name" per line, in hex.
//
// The file has no times: where entries overlap, the last line wins. Opened as described in run_time_file.h. The
// contents are untrusted; lines that do not parse are skipped and counted.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/judged_file.h"
#include "base/result.h"
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
