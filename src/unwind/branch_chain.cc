#include "unwind/branch_chain.h"

#include <span>

#include "base/types.h"

namespace peregrine {

void append_branch_callers(std::span<const abi::BranchEntry> calls, std::vector<u64>& out) {
  if (calls.empty()) return;
  out.push_back(calls.front().to);
  for (const abi::BranchEntry& call : calls) out.push_back(call.from);
}

}  // namespace peregrine
