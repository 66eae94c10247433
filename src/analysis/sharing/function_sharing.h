// FunctionSharing: which functions contend for cache lines: for each function that loads data, those that write the
// same lines, and for each pair the lines.
//
//   reader 62.5 % of the cycles ── writer 12 stores ── line 0x7fff00001000 8 stores, line 0x7fff00002000 4 stores
//
// A function is identified by its symbol, or by its address if it has none. A function that writes what it loads is
// among its own writers if it did so on several CPUs. Pure; the result points into the lines, which must outlive it.
#pragma once
#include <span>
#include <vector>

#include "analysis/sharing/line_sharing.h"
#include "base/types.h"

namespace peregrine {

struct ContendedLine {
  const SharedLine* line = nullptr;
  u64 stores = 0;  // by the writer
};

struct ContendingWriter {
  const SharingRow* row = nullptr;  // its code with the most stores
  u64 stores = 0;                   // to the lines below
  std::vector<ContendedLine> lines;
};

struct ContendedFunction {
  const SharingRow* row = nullptr;  // its code with the longest waits
  double cycles = 0;                // spent in its loads of contended lines
  u64 stores = 0;                   // by all its writers
  std::vector<ContendingWriter> writers;
};

// Longest waits first; writers and lines by stores. Rows of `lines` must be separated by code (SharingKeys::code).
std::vector<ContendedFunction> contended_functions(std::span<const SharedLine> lines);

}  // namespace peregrine
