// Branch information after a frame's name in report --branch-history: " (COND_FWD predicted:97.5%)", " (cycles:4 iter:2
// avg_cycles:7)", " (calltrace)" for a caller.
#pragma once
#include <string>

#include "analysis/hist/chain/branch_sums.h"

namespace peregrine {

std::string branch_text(const BranchSums& sums);

}  // namespace peregrine
