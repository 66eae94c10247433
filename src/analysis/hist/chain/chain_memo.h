// ChainMemo: maps a raw callchain, as recorded by the kernel, to its ChainTree node in one lookup.
//
// The key is a 96-bit hash of (context, addresses). The context must change whenever the same addresses might resolve
// differently (another process, or changed maps). Two chains with equal hashes would be confused; `seed` must come from
// a random source, so that no file can cause collisions. 16 bytes per slot, one memo per worker. Direct-mapped, new
// chains evicting old ones, to stay in the CPU caches; in a complete table, one-off chains would evict the recurring
// ones.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "base/types.h"

namespace peregrine {

class ChainMemo {
 public:
  explicit ChainMemo(u64 seed = 0x9e3779b97f4a7c15u) : seed_(seed | 1) {}

  struct Key {
    u64 low = 0;
    u32 high = 0;
  };
  Key key(u64 context, std::span<const u64> chain) const;

  // The node entered under this key; invalid if never entered, or evicted.
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
