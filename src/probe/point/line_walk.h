// Which code belongs to which source lines, as probes count it: rows of the line table that begin a statement, and
// where functions begin and inlined functions are called.
#pragma once
#include <functional>
#include <string>

#include "symbol/dwarf/debug_entries.h"

namespace peregrine {

// `file` and `line` of the code at `address`.
using LineVisit = std::function<void(const std::string& file, u32 line, u64 address)>;

// All lines of a unit.
void walk_unit_lines(const EntryUnit& unit, const LineVisit& visit);
// Those of one function or inlined instance, without what is inlined into it: the calls count instead.
void walk_function_lines(DebugEntry function, const LineVisit& visit);

// Functions of a unit, those of namespaces and classes and of shared parts (dwz) as well.
void walk_functions(const EntryUnit& unit, const std::function<void(DebugEntry)>& visit);
// Every place of the unit where that function is inlined, or that is made of its abstract entry.
void walk_instances(const EntryUnit& unit, DebugEntry abstract, const std::function<void(DebugEntry)>& visit);

// The function with code of its own at that address; the innermost inlined one below `function`.
DebugEntry function_at(const EntryUnit& unit, u64 address);
DebugEntry inlined_at(DebugEntry function, u64 address);
// The first row of a statement at the address, else the row that covers it; nullptr when none does.
const LineTable::Row* line_row_at(const EntryUnit& unit, u64 address);
// Where the arguments of a function that was not optimized are in their places.
u64 end_of_prologue(DebugEntry function, u64 entry);
// Whether the compiler optimized the function: GNU's say it of the unit, others of the functions
// whose calls they describe.
bool is_optimized(DebugEntry function);

// The line that stands for an address: of a function's first instruction its declaration, else that of the first row.
// Other lines may share the address; a probe there would be shown, and hit, as this one.
class LineOwners {
 public:
  explicit LineOwners(const EntryUnit& unit);
  struct Line {
    const std::string* file = nullptr;  // nullptr: nobody
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
