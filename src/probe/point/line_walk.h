// Maps source lines to code the way probes count it: line table rows that begin a statement, entries of functions, and
// calls of inlined functions.
#pragma once
#include <functional>
#include <string>
#include <unordered_map>

#include "base/types.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/line_table.h"

namespace peregrine {

// `file` and `line` of the code at `address`.
using LineVisit = std::function<void(const std::string& file, u32 line, u64 address)>;

// Visits all lines of a unit.
void walk_unit_lines(const EntryUnit& unit, const LineVisit& visit);
// Visits the lines of one function or inlined instance. Code inlined into it counts as the line of the call.
void walk_function_lines(DebugEntry function, const LineVisit& visit);

// Visits the functions of a unit, including those in namespaces, classes and shared parts (dwz).
void walk_functions(const EntryUnit& unit, const std::function<void(DebugEntry)>& visit);
// Visits every place in the unit where the function is inlined, and its out-of-line copies.
void walk_instances(const EntryUnit& unit, DebugEntry abstract, const std::function<void(DebugEntry)>& visit);

// function_at() finds the out-of-line function at that address, inlined_at() the innermost function inlined into
// `function` there.
DebugEntry function_at(const EntryUnit& unit, u64 address);
DebugEntry inlined_at(DebugEntry function, u64 address);
// The first row of a statement at the address, or else the row that covers it; nullptr if none does.
const LineTable::Row* line_row_at(const EntryUnit& unit, u64 address);
// The address where the arguments of an unoptimized function have been stored to their places.
u64 end_of_prologue(DebugEntry function, u64 entry);
// True if the compiler optimized the function. GCC records -O for the whole unit; other compilers mark optimized
// functions with DW_AT_GNU_all_call_sites.
bool is_optimized(DebugEntry function);

// The one line that represents an address: the declaration for a function's first instruction, otherwise the first
// row's line. Other lines may share the address, but a probe there is shown, and hit, as this one.
class LineOwners {
 public:
  explicit LineOwners(const EntryUnit& unit);
  struct Line {
    const std::string* file = nullptr;  // nullptr: no line
    u32 number = 0;
  };
  Line find(u64 address) const;

 private:
  struct Start {
    std::string file;
    u32 line;
  };
  const EntryUnit& unit_;
  std::unordered_map<u64, Start> starts_;
};

}  // namespace peregrine
