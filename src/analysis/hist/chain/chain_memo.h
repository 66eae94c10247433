// ChainMemo: from a raw callchain, as the kernel recorded it, to its node in a ChainTree, in one look-up.
//
// The key is a 96-bit hash of (context, addresses); the context must change whenever the same addresses could resolve
// to something else (another process, or a new state of its maps). Two different chains that agree in 96 keyed bits
// would be taken for one; the caller gives `seed` from a random source, so a file cannot be made to collide.
// 16 bytes a slot, one memo per worker. Direct-mapped: a newer chain takes the place of an older one, so that it stays
// in the caches; a chain that comes once only would else push out, in a table of all, the ones that come again.
#pragma once
#include <span>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"

namespace peregrine {

class ChainMemo {
 public:
  explicit ChainMemo(u64 seed = 0x9e3779b97f4a7c15u) : seed_(seed | 1) {}

  struct Key {
    u64 low = 0;
    u32 high = 0;
  };
  Key key(u64 context, std::span<const u64> chain) const;

  // The node entered under this key, or an invalid id: not entered, or no more.
  ChainId find(const Key& key) const;
  void enter(const Key& key, ChainId chain);
  void prefetch(const Key& key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[key.low & mask_]);
  }

  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr std::size_t kMost = 1u << 17;
  struct Slot {
    u64 low = 0;
    u32 high = 0;
    u32 chain = ChainId::kNone;
  };
  void grow();

  u64 seed_;
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t used_ = 0;
};

}  // namespace peregrine
