#include "analysis/hist/chain/chain_memo.h"

#include <cstddef>

#include "analysis/flat_index.h"
#include "base/types.h"

namespace peregrine {
namespace {

// Folds the 128-bit product, so that one multiplication mixes two words.
inline u64 fold(u64 a, u64 b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
}

}  // namespace

ChainMemo::Key ChainMemo::key(u64 context, std::span<const u64> chain) const {
  // Two independent accumulators, so that the CPU overlaps the multiplications of a step.
  u64 a = mix_bits(seed_);
  u64 b = mix_bits(seed_ + chain.size());
  std::size_t at = 0;
  for (; at + 2 <= chain.size(); at += 2) {
    a = fold(a ^ chain[at], 0xa0761d6478bd642fu ^ chain[at + 1]);
    b = (b ^ chain[at] ^ (chain[at + 1] << 32 | chain[at + 1] >> 32)) * 0x9fb21c651e98df25u;
  }
  if (at < chain.size()) {
    a = fold(a ^ chain[at], 0xe7037ed1a0b428dbu);
    b = (b ^ chain[at]) * 0x9fb21c651e98df25u;
  }
  // Mix in the context last: its load may still be in flight.
  const u64 low = mix_bits((a ^ b) + mix_bits(seed_ ^ context));
  return {low, static_cast<u32>(mix_bits((b + seed_) ^ context) >> 32)};
}

ChainId ChainMemo::find(const Key& key) const {
  if (slots_.empty()) return ChainId();
  const Slot& slot = slots_[key.low & mask_];
  return slot.low == key.low && slot.high == key.high ? ChainId(slot.chain) : ChainId();
}

void ChainMemo::enter(const Key& key, ChainId chain) {
  if (used_ * 2 >= slots_.size() && slots_.size() < kMost) grow();
  Slot& slot = slots_[key.low & mask_];
  used_ += slot.chain == ChainId::kNone ? 1 : 0;
  slot = {key.low, key.high, chain.value};
}

void ChainMemo::grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.chain == ChainId::kNone) continue;
    Slot& to = slots_[slot.low & mask_];
    used_ += to.chain == ChainId::kNone ? 1 : 0;
    to = slot;
  }
}

}  // namespace peregrine
