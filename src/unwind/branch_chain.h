// Callchains from branch records of the kind "call stack" (--call-graph lbr): each record is a call that has not
// returned.
#pragma once
#include <vector>

#include "abi/sample.h"

namespace peregrine {

// Appends the user callers that the records tell, newest call first: where it went, then where each call came from.
void append_branch_callers(std::span<const abi::BranchEntry> calls, std::vector<u64>& out);

}  // namespace peregrine
