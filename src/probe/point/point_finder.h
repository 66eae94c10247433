// PointFinder: the places in code that a probe definition means, by the debug information of one file.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "probe/definition/definition.h"
#include "probe/point/line_walk.h"
#include "probe/point/source_text.h"
#include "symbol/dwarf/debug_entries.h"

namespace peregrine {

struct ProbePoint {
  u64 address = 0;       // virtual
  u64 entry = 0;         // of the function with code of its own; equals `address` for none
  std::string name;      // of the function in the source that the place belongs to, perhaps an inlined one
  std::string symbol;    // of the function with code of its own
  DebugEntry scope;      // where its variables are looked for: that of `name`
  DebugEntry function;   // with code of its own
  bool inlined = false;  // the probe's function has no code of its own here
  bool skipped_prologue = false;
  u32 matched_line = 0;  // by a pattern: from the function's first on, or of the file where no function was named
  u64 offset() const { return address - entry; }
};

struct PointOptions {
  bool inlines = true;           // also where the function is inlined
  bool wants_variables = false;  // so it may have to be behind the prologue
  bool of_program = true;        // and only programs have one
  std::size_t most = 128;
  std::string program = {};  // as errors name it
};

class PointFinder {
 public:
  PointFinder(const DebugInformation& information, SourceFinder& sources, const PointOptions& options)
      : information_(information), sources_(sources), options_(options) {}

  // In the order of the debug information. NotFound says what is nearest.
  Result<std::vector<ProbePoint>> find(const ProbePlace& place);

 private:
  void search_unit(const EntryUnit& unit);
  void search_function(const EntryUnit& unit, DebugEntry function);
  void search_line(const EntryUnit& unit, const std::string& file, u32 line);
  Result<> search_pattern(const EntryUnit& unit, const std::string& file, DebugEntry function);
  bool matches(DebugEntry function) const;
  bool has_offset(DebugEntry function, u64 entry);
  std::string file_of(const EntryUnit& unit) const;
  void add(const EntryUnit& unit, u64 address, DebugEntry scope, bool inlined);
  DebugEntry best_scope(const EntryUnit& unit, DebugEntry function, u64 address, const std::string& file) const;
  Error explain() const;
  void note_near(u32 line);
  void note_function_lines(const EntryUnit& unit, DebugEntry function);
  std::string function_lines() const;

  const DebugInformation& information_;
  SourceFinder& sources_;
  PointOptions options_;
  const ProbePlace* place_ = nullptr;
  bool is_glob_ = false;
  std::vector<ProbePoint> points_;
  std::set<u64> seen_;
  bool too_many_ = false;
  // For what is said when nothing is found.
  bool function_seen_ = false, file_seen_ = false, pattern_seen_ = false, only_inlined_ = false;
  u32 shared_line_ = 0;  // has the wanted line's address
  u32 wanted_line_ = 0, line_below_ = 0, line_above_ = 0, base_line_ = 0;
  std::set<u32> function_lines_;  // that can have a probe, counted from the function's first line
  std::optional<Error> trouble_;
};

// Whether a function has this name: in the source, in the symbol table, or, as C++ has it, "ns::A::f" and
// "ns::A::f(int)".
bool is_called(DebugEntry function, const std::string& name);
// Usage: a place behind the end of a function. Sizes in bytes.
Error offset_beyond_end(std::string_view function, u64 size, u64 offset);
// Names of functions for which a mistyped name may stand.
std::vector<std::string> function_names(const DebugInformation& information);

}  // namespace peregrine
