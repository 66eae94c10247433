// RecentChains: the callchain that was last put into the tree in each of some address spaces, and its node at each of
// its addresses. The outer part that a new chain shares with it, most of it as a rule, needs neither names nor
// look-ups.
//
//   last   main ▸ run ▸ read ▸ fill        the tree knows "main ▸ run ▸ read": only "copy" is resolved and added
//   new    main ▸ run ▸ read ▸ copy
//
// What an address means depends on the context marker it stands below and on its callee, so those are shared, too.
// One table per worker; a context as for ChainMemo.
#pragma once
#include <span>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"

namespace peregrine {

class RecentChains {
 public:
  RecentChains() : kept_(kSlots) {}

  // Addresses as the kernel records them, innermost first: those from `from` on are at `node`.
  struct Shared {
    std::size_t from = 0;
    ChainId node = kRootChain;
  };
  // `root`: the node that all chains of this context stand below.
  Shared find(u64 context, std::span<const u64> chain, ChainId root = kRootChain) const;
  // `added`: the nodes at the addresses that the chain of the last find() did not share, outermost first.
  void keep(u64 context, std::span<const u64> chain, std::span<const ChainId> added);

 private:
  static constexpr std::size_t kSlots = 256;
  struct Kept {
    u64 context = 0;
    std::vector<u64> chain;      // outermost first, so that what is shared stays in its place
    std::vector<ChainId> nodes;  // by address
  };
  static std::size_t slot_of(u64 context) { return mix_bits(context) % kSlots; }

  std::vector<Kept> kept_;
};

}  // namespace peregrine
