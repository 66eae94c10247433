#include "analysis/hist/chain/chain_children.h"

#include <numeric>

#include "base/types.h"

namespace peregrine {

ChainChildren::ChainChildren(const ChainTree& chains) : start_(chains.size() + 1), list_(chains.size()) {
  for (u32 at = 1; at < chains.size(); ++at) ++start_[chains.parent(ChainId(at)).value + 1];
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  std::vector<u32> next(start_.begin(), start_.end() - 1);
  for (u32 at = 1; at < chains.size(); ++at) list_[next[chains.parent(ChainId(at)).value]++] = at;
}

}  // namespace peregrine
