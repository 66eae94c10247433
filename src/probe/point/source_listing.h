// The lines of a function or file for -L, and which of them can have a probe.
#pragma once
#include <set>
#include <string>

#include "base/result.h"
#include "base/types.h"
#include "probe/definition/definition.h"
#include "probe/point/source_text.h"
#include "symbol/dwarf/debug_entries.h"

namespace peregrine {

struct SourceListing {
  std::string function, path;  // for the title; path is where the source was found
  u32 first_shown = 0;         // as requested: relative to the function, or in the file
  u32 base = 0;                // line of the file that is shown as 0
  u32 begin = 0, end = 0;      // lines of the file to show
  std::set<u32> probeable;     // lines of the file
  const SourceText* text = nullptr;
  // Why a line cannot have a probe; empty if it can.
  std::string reason(u32 line) const;
};

Result<SourceListing> list_source(const DebugInformation& information, const LineRange& range, SourceFinder& sources);

}  // namespace peregrine
