#include "analysis/hist/chain_memo.h"

namespace peregrine {
namespace {

// The folded 128-bit product: one multiplication mixes two words.
inline u64 fold(u64 a, u64 b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
}

}  // namespace

ChainMemo::Key ChainMemo::key(u64 context, std::span<const u64> chain) const {
  // Two independent accumulators: the multiplications of one step overlap in time.
  u64 a = mix_bits(seed_ ^ context);
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
  const u64 low = mix_bits(a ^ b);
  return {low, static_cast<u32>(mix_bits(b + seed_) >> 32)};
}

ChainId ChainMemo::find(const Key& key) const {
  if (slots_.empty()) return ChainId();
  for (std::size_t at = key.low & mask_;; at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.chain == ChainId::kNone) return ChainId();
    if (slot.low == key.low && slot.high == key.high) return ChainId(slot.chain);
  }
}

void ChainMemo::enter(const Key& key, ChainId chain) {
  if ((used_ + 1) * 8 > slots_.size() * 5) grow();
  std::size_t at = key.low & mask_;
  while (slots_[at].chain != ChainId::kNone) at = (at + 1) & mask_;
  slots_[at] = {key.low, key.high, chain.value};
  ++used_;
}

void ChainMemo::grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.chain == ChainId::kNone) continue;
    std::size_t at = slot.low & mask_;
    while (slots_[at].chain != ChainId::kNone) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
}

}  // namespace peregrine
