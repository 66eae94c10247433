// Callchains from call-stack branch records (--call-graph lbr): each record is a call that has not returned.
#pragma once
#include <span>
#include <vector>

#include "abi/sample.h"
#include "base/types.h"

namespace peregrine {

// Appends the user callers in the records, newest call first: its target, then the source of each call.
void append_branch_callers(std::span<const abi::BranchEntry> calls, std::vector<u64>& out);

}  // namespace peregrine
