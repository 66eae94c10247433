// FunctionSharing: which functions fight over cache lines: for each function that loads data, those that write to the
// same lines, and for each of these pairs the lines.
//
//   reader 62.5 % of the cycles ── writer 12 stores ── line 0x7fff00001000 8 stores, line 0x7fff00002000 4 stores
//
// A function is identified by its symbol, code without a symbol by its address. A function that writes what it loads
// itself is listed among its own writers if it did so on several CPUs. Pure; points into the lines, which outlive the
// answer.
#pragma once
#include <span>
#include <vector>

#include "analysis/sharing/line_sharing.h"

namespace peregrine {

struct ContendedLine {
  const SharedLine* line = nullptr;
  u64 stores = 0;  // of the writer
};

struct ContendingWriter {
  const SharingRow* row = nullptr;  // its code with the most stores
  u64 stores = 0;                   // to the lines below
  std::vector<ContendedLine> lines;
};

struct ContendedFunction {
  const SharingRow* row = nullptr;  // its code that waited longest
  double cycles = 0;                // that its loads of contended lines took
  u64 stores = 0;                   // of all its writers
  std::vector<ContendingWriter> writers;
};

// Those that waited longest first; writers and lines by their stores. The rows of `lines` tell code apart
// (SharingKeys::code).
std::vector<ContendedFunction> contended_functions(std::span<const SharedLine> lines);

}  // namespace peregrine
