// RecentChains: remembers the last callchain of each of some address spaces, with its tree node at each address. The
// outer part that a new chain shares with it, usually most of it, needs neither symbols nor lookups.
//
//   last   main ▸ run ▸ read ▸ fill        the tree knows "main ▸ run ▸ read": only "copy" is resolved and added
//   new    main ▸ run ▸ read ▸ copy
//
// An address's meaning depends on the context marker above it and on its callee, so these must match as well. One table
// per worker; contexts are those of ChainMemo.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/flat_index.h"
#include "analysis/hist/chain/chain_tree.h"
#include "base/types.h"

namespace peregrine {

class RecentChains {
 public:
  RecentChains() : kept_(kSlots) {}

  // Addresses as recorded, innermost first: those from index `from` on are at `node`.
  struct Shared {
    std::size_t from = 0;
    ChainId node = kRootChain;
  };
  // `root`: the parent node of all chains of this context.
  Shared find(u64 context, std::span<const u64> chain, ChainId root = kRootChain) const;
  // `added`: the nodes of the addresses that the last find() did not cover, outermost first.
  void keep(u64 context, std::span<const u64> chain, std::span<const ChainId> added);

 private:
  static constexpr std::size_t kSlots = 256;
  struct Kept {
    u64 context = 0;
    std::vector<u64> chain;      // outermost first, so that shared parts keep their index
    std::vector<ChainId> nodes;  // by address
  };
  static std::size_t slot_of(u64 context) { return mix_bits(context) % kSlots; }

  std::vector<Kept> kept_;
};

}  // namespace peregrine
