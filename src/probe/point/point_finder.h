// PointFinder: finds the code addresses of a probe definition in the debug information of one file.
//
//   FUNC                      its entry; behind the prologue, if unoptimised code must provide variables
//   FUNC+OFFS                 that many bytes behind the entry, inside the same range of code
//   FUNC:LINE, SRC:LINE       each address where that line begins; LINE counts from the function or the file
//   FUNC;PATTERN, SRC;PATTERN each address where a line begins that matches
//
// A function that is always inlined has a point in each copy.
#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "probe/definition/definition.h"
#include "probe/point/source_text.h"
#include "symbol/dwarf/debug_entries.h"

namespace peregrine {

struct ProbePoint {
  u64 address = 0;       // virtual address
  u64 entry = 0;         // of the out-of-line function; otherwise equals `address`
  std::string name;      // source function that the place belongs to, possibly an inlined one
  std::string symbol;    // of the out-of-line function
  DebugEntry scope;      // scope of `name`, where its variables are looked up
  DebugEntry function;   // the out-of-line function
  bool inlined = false;  // the function is inlined here
  bool skipped_prologue = false;
  u32 matched_line = 0;  // line that matched the pattern, relative to the function if one is named
  u64 offset() const { return address - entry; }
};

struct PointOptions {
  bool inlines = true;           // also search where the function is inlined
  bool wants_variables = false;  // the probe may have to move past the prologue
  bool of_program = true;        // only programs need that
  std::size_t most = 128;
  std::string program = {};  // for error messages
};

class PointFinder {
 public:
  PointFinder(const DebugInformation& information, SourceFinder& sources, const PointOptions& options)
      : information_(information), sources_(sources), options_(options) {}

  // In the order of the debug information. NotFound suggests the nearest match.
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
  // For the error message when nothing is found.
  bool function_seen_ = false, file_seen_ = false, pattern_seen_ = false, only_inlined_ = false;
  u32 shared_line_ = 0;  // the line that owns the wanted line's address
  u32 wanted_line_ = 0, line_below_ = 0, line_above_ = 0, base_line_ = 0;
  std::set<u32> function_lines_;  // lines that can have a probe, relative to the function
  std::optional<Error> trouble_;
};

// True if the function has this name in the source, in the symbol table, or in C++ notation: "ns::A::f" or
// "ns::A::f(int)".
bool is_called(DebugEntry function, const std::string& name);
// A Usage error for a place beyond the end of a function. Sizes are in bytes.
Error offset_beyond_end(std::string_view function, u64 size, u64 offset);
// Candidate names for suggestions after a mistyped function name.
std::vector<std::string> function_names(const DebugInformation& information);

}  // namespace peregrine
