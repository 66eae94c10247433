// Converts a variable's place and type into the kernel's fetch syntax: "name=+0(+8(%di)):string".
//
//   place   a register, memory at a register or in the file, or a constant
//   fields  each pointer followed and member taken adds an offset in parentheses
//   type    the type after the user's colon, or else that of the last field
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "probe/definition/definition.h"
#include "probe/definition/trace_probe.h"
#include "probe/type/type_source.h"

namespace peregrine {

// Where a variable is: `base` itself, or the memory reached from it through the offsets, innermost first.
struct VariablePlace {
  std::string base;               // each adds its offset, then reads memory
  std::vector<i64> dereferences;  // each adds and reads memory
  bool is_constant() const { return base.starts_with('\\'); }
};

// The kernel's abilities, from its tracing README.
struct FetchAbilities {
  bool user_memory = true;  // +u8(%di), ustring
  bool hexadecimal = true;  // x8…x64
  bool kernel_probe = false;
};

Result<TraceArgument> fetch_variable(const ProbeArgument& argument, VariablePlace place, TypeRef type,
                                     const TypeSource& types, const FetchAbilities& abilities);
// Passes the kernel's own syntax through unchanged.
TraceArgument fetch_as_written(const ProbeArgument& argument);

}  // namespace peregrine
