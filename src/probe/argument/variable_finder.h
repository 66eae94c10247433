// Variables at a probe point: which there are, and how the kernel fetches them.
#pragma once
#include <set>

#include "probe/argument/dwarf_location.h"
#include "probe/point/point_finder.h"
#include "probe/type/dwarf_types.h"

namespace peregrine {

// One row of -V.
struct ShownVariable {
  std::string type, name, ranges;
  bool external = false, available = true;
  friend auto operator<=>(const ShownVariable&, const ShownVariable&) = default;
};

class VariableFinder {
 public:
  // `frames`: call frame information of the file.
  VariableFinder(const DebugInformation& information, const ElfFile& runtime, const CfiTable& frames,
                 const FetchAbilities& abilities)
      : information_(information), runtime_(runtime), frames_(frames), abilities_(abilities) {}

  // NotFound, with why and what there is instead.
  Result<TraceArgument> fetch(const ProbeArgument& argument, const ProbePoint& point) const;
  // $vars, $params: those that can be fetched there.
  std::vector<ProbeArgument> expand(const ProbeArgument& argument, const ProbePoint& point) const;
  // The type of a function's result, for $retval.
  std::string return_type(const ProbePoint& point) const;

  struct Show {
    bool externals = false, ranges = false;
  };
  std::set<ShownVariable> shown(const ProbePoint& point, const Show& show) const;

 private:
  // How far below the point's scope: blocks are its own code, inlined functions are others' in it.
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
