#include "pipeline/replay/deferred_chains.h"

namespace peregrine {

void DeferredChains::clear() {
  if (words_.empty() && ranges_.empty()) return;
  ranges_.clear();
  words_.clear();
}

void DeferredChains::add(u32 tid, u64 cookie, std::span<const u64> chain) {
  ranges_[Key{cookie, tid}] = {words_.size(), chain.size()};
  words_.insert(words_.end(), chain.begin(), chain.end());
}

DeferredChains::Merged DeferredChains::complete(const Key& key, std::span<const u64>& chain,
                                                std::vector<u64>& scratch) const {
  chain = chain.first(chain.size() - 2);
  const auto found = ranges_.find(key);
  if (found == ranges_.end()) return Merged::Missing;
  const auto user = std::span(words_).subspan(found->second.first, found->second.count);
  scratch.assign(chain.begin(), chain.end());
  scratch.insert(scratch.end(), user.begin(), user.end());
  chain = scratch;
  return Merged::Whole;
}

}  // namespace peregrine
