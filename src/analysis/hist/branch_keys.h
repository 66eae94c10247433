// The sort keys of a branch: where it came from, where it led to, and how it went. For reports that count branches of
// branch stacks instead of samples.
#pragma once
#include <vector>

#include "abi/sample.h"
#include "analysis/hist/hists.h"
#include "analysis/hist/sort_key.h"
#include "machine/source_table.h"

namespace peregrine {

// One branch, its ends as frames of a Hists.
struct BranchHit {
  abi::BranchEntry entry;
  HistFrameId from, to;
};

// What a group holds for the key.
u64 branch_value(SortKey key, const BranchHit& branch);
// How values of the keys that are words are shown: "N", "Y" or "N/A"; "T" or "."; "A" or ".".
std::string_view branch_word(SortKey key, u64 value);

// The frames of branch ends, for one worker and its resolver. Ends in no map are of level 'H', as linux-perf shows
// them.
class BranchFrames {
 public:
  // `lines`: each frame has its source line, from `sources`. `addresses`: frames of one function are told apart.
  BranchFrames(SourceTable* sources, bool lines, bool addresses)
      : sources_(sources), lines_(lines && sources != nullptr), addresses_(addresses) {}

  HistFrameId find(HistFrameTable& frames, Resolver& resolver, const Resolver::Context& context, u64 address);

 private:
  SourceTable* sources_;
  bool lines_, addresses_;
  std::vector<u32> known_;  // by the resolver's FrameId
};

}  // namespace peregrine
