// FunctionAccesses: what each instruction of one function touches in memory.
//
// The function's code is followed from its entry on all ways, until nothing new is learnt: what a register holds comes
// from DWARF where a variable lies in it, else from the instruction that wrote it (a pointer loaded from a member leads
// to what that member points to). Where ways meet, what they agree on is kept. Const after following.
#pragma once
#include <functional>

#include "analysis/data_type/access_finder.h"
#include "analysis/data_type/code_blocks.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

struct FollowedFunction {
  DebugEntry entry;
  u16 machine = 0;  // EM_*
  const CfiTable& frames;
  const FixedVariables& fixed;
  ThreadVariableSource thread;
  std::function<KnownValue(u64 callee)> result_of;  // what a function returns
};

class FunctionAccesses {
 public:
  static FunctionAccesses follow(const FollowedFunction& function, const CodeBlocks& code);
  // nullptr: no instruction begins there.
  const DataAccess* find(u64 address) const;

 private:
  std::vector<u64> addresses_;
  std::vector<DataAccess> accesses_;
};

// What an instruction touches that is alone: nothing is known of its registers.
DataAccess access_without_types(const DataFlow& flow, UnknownType why);

}  // namespace peregrine
