// Finds the variables at a probe point and how the kernel can fetch them.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "probe/argument/fetch.h"
#include "probe/definition/definition.h"
#include "probe/definition/trace_probe.h"
#include "probe/point/point_finder.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// One row of -V.
struct ShownVariable {
  std::string type, name, ranges;
  bool external = false, available = true;
  friend auto operator<=>(const ShownVariable&, const ShownVariable&) = default;
};

class VariableFinder {
 public:
  // `frames`: call frame information of the file. The first three arguments must outlive this.
  VariableFinder(const DebugInformation& information, const ElfFile& runtime, const CfiTable& frames,
                 const FetchAbilities& abilities)
      : information_(information), runtime_(runtime), frames_(frames), abilities_(abilities) {}

  // NotFound gives the reason and lists alternatives.
  Result<TraceArgument> fetch(const ProbeArgument& argument, const ProbePoint& point) const;
  // Expands $vars and $params to the variables that can be fetched there.
  std::vector<ProbeArgument> expand(const ProbeArgument& argument, const ProbePoint& point) const;
  // The type of the function's result, for $retval.
  std::string return_type(const ProbePoint& point) const;

  struct Show {
    bool externals = false, ranges = false;
  };
  std::set<ShownVariable> shown(const ProbePoint& point, const Show& show) const;

 private:
  // How deep to search below the point's scope: blocks belong to the function itself, inlined functions do not.
  enum class Depth { Scope, Blocks, Inlined };
  std::vector<DebugEntry> visible(const ProbePoint& point, Depth depth) const;
  DebugEntry find(const std::string& name, const ProbePoint& point) const;
  DebugEntry find_global(const std::string& name, const EntryUnit& unit) const;
  Result<VariablePlace> place(DebugEntry variable, const ProbePoint& point) const;
  enum class Ranges : u8 { All, Fetchable };
  std::string ranges_text(DebugEntry variable, const ProbePoint& point, Ranges which) const;
  Error not_there(const std::string& name, const ProbePoint& point) const;

  const DebugInformation& information_;
  const ElfFile& runtime_;
  const CfiTable& frames_;
  FetchAbilities abilities_;
};

}  // namespace peregrine
