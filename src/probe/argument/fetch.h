// From a variable's place and type to what the kernel is to fetch: "name=+0(+8(%di)):string".
//
//   place   a register, memory at a register or in the file, or a constant
//   fields  each pointer followed and member taken adds an offset in parentheses
//   type    what the user said behind the colon, else what the last type says
#pragma once
#include "base/result.h"
#include "probe/definition/definition.h"
#include "probe/definition/trace_probe.h"
#include "probe/type/type_source.h"

namespace peregrine {

// Where a variable is: `base` read as it is, or as memory at the end of the offsets, the innermost first.
struct VariablePlace {
  std::string base;               // "%di"; "\\5" for a constant; "@+" for memory of the program
  std::vector<i64> dereferences;  // each adds and reads memory
  bool is_constant() const { return base.starts_with('\\'); }
};

// What the kernel can do, as its README says.
struct FetchAbilities {
  bool user_memory = true;  // +u8(%di), ustring
  bool hexadecimal = true;  // x8…x64
  bool kernel_probe = false;
};

Result<TraceArgument> fetch_variable(const ProbeArgument& argument, VariablePlace place, TypeRef type,
                                     const TypeSource& types, const FetchAbilities& abilities);
// The kernel's own words, as they were written.
TraceArgument fetch_as_written(const ProbeArgument& argument);

}  // namespace peregrine
