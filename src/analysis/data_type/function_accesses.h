// FunctionAccesses: what each instruction of one function accesses in memory.
//
// Follows all paths from the function's entry to a fixed point. A register's value comes from DWARF if a variable is in
// it, otherwise from the instruction that wrote it (a pointer loaded from a member leads to the pointee). Where paths
// merge, only what they agree on is kept. Immutable afterwards.
#pragma once
#include <functional>
#include <vector>

#include "analysis/data_type/code_blocks.h"
#include "analysis/data_type/data_access.h"
#include "analysis/data_type/fixed_variables.h"
#include "analysis/data_type/known_value.h"
#include "analysis/data_type/thread_variables.h"
#include "base/types.h"
#include "insn/data_flow.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/dwarf/debug_entries.h"

namespace peregrine {

struct FollowedFunction {
  DebugEntry entry;
  u16 machine = 0;  // EM_*
  const CfiTable& frames;
  const FixedVariables& fixed;
  ThreadVariableSource thread;
  std::function<KnownValue(u64 callee)> result_of;  // what a function returns, by entry address
};

class FunctionAccesses {
 public:
  static FunctionAccesses follow(const FollowedFunction& function, const CodeBlocks& code);
  // nullptr if no instruction starts there.
  const DataAccess* find(u64 address) const;

 private:
  std::vector<u64> addresses_;
  std::vector<DataAccess> accesses_;
};

// The access of a single instruction, with no register values known.
DataAccess access_without_types(const DataFlow& flow, UnknownType why);

}  // namespace peregrine
