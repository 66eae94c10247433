// The sort keys of a branch: source, target and outcome. For reports that count branches of branch stacks instead of
// samples.
#pragma once
#include <string_view>

#include "abi/sample.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/sort_key.h"

namespace peregrine {

// One branch, with its ends as frames of a Hists.
struct BranchHit {
  abi::BranchEntry entry;
  HistFrameId from, to;
};

// The group value for the key.
u64 branch_value(SortKey key, const BranchHit& branch);
// The text of a symbolic value: "N", "Y" or "N/A"; "T" or "."; "A" or ".".
std::string_view branch_word(SortKey key, u64 value);

}  // namespace peregrine
