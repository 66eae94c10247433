#include "analysis/hist/chain/recent_chains.h"

#include <algorithm>
#include <cstddef>
#include <ranges>

#include "abi/record.h"
#include "base/types.h"

namespace peregrine {
namespace {

// The context marker that applies to the addresses recorded after `inner`. `inner` is passed outermost first.
template <class Inner>
u64 marker_before(const Inner& inner) {
  const auto marker = std::ranges::find_if(inner, [](u64 ip) { return ip >= abi::kContextMax; });
  return marker == std::ranges::end(inner) ? abi::kContextUser : *marker;
}

}  // namespace

RecentChains::Shared RecentChains::find(u64 context, std::span<const u64> chain, ChainId root) const {
  const Kept& kept = kept_[slot_of(context)];
  if (kept.context != context) return {chain.size(), root};
  const std::size_t most = std::min(kept.chain.size(), chain.size());
  std::size_t same = 0;
  while (same < most && kept.chain[same] == chain[chain.size() - 1 - same]) ++same;
  // The innermost common address is not shared itself: it only proves that the others have the same callee.
  while (same > 0 && kept.chain[same - 1] >= abi::kContextMax) --same;
  if (same < 2) return {chain.size(), root};
  const u64 marker = marker_before(chain.first(chain.size() - same) | std::views::reverse);
  if (marker != marker_before(std::span(kept.chain).subspan(same))) return {chain.size(), root};
  return {chain.size() - same + 1, kept.nodes[same - 2]};
}

void RecentChains::keep(u64 context, std::span<const u64> chain, std::span<const ChainId> added) {
  Kept& kept = kept_[slot_of(context)];
  const std::size_t shared = chain.size() - added.size();
  kept.context = context;
  kept.chain.resize(shared);
  kept.nodes.resize(shared);
  for (std::size_t at = added.size(); at-- > 0;) kept.chain.push_back(chain[at]);
  kept.nodes.insert(kept.nodes.end(), added.begin(), added.end());
}

}  // namespace peregrine
