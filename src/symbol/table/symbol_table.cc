#include "symbol/table/symbol_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <ranges>

namespace peregrine {

void SymbolTable::build_index() {
  buckets_.clear();
  if (starts_.empty()) return;
  const u64 range = starts_.back() - starts_.front();
  const std::size_t wanted = std::bit_ceil(starts_.size());
  bucket_shift_ = 0;
  while ((range >> bucket_shift_) >= wanted) ++bucket_shift_;
  const u64 count = (range >> bucket_shift_) + 1;
  buckets_.resize(count + 1);
  u32 symbol = 0;
  for (u64 bucket = 0; bucket < count; ++bucket) {
    while (symbol < starts_.size() && (starts_[symbol] - starts_.front()) >> bucket_shift_ < bucket) ++symbol;
    buckets_[bucket] = symbol;
  }
  buckets_[count] = static_cast<u32>(starts_.size());
}

SymbolIndex SymbolTable::find_index(u64 dso_address) const {
  if (starts_.empty() || dso_address < starts_.front()) return {};
  // Where symbols overlap, segments say which one wins; elsewhere the last symbol that begins before the address does.
  if (!segments_.empty()) {
    const auto behind = std::ranges::upper_bound(segments_, dso_address, {}, &Segment::from);
    if (behind != segments_.begin()) {
      const u32 symbol = std::prev(behind)->symbol;
      if (symbol == kNobody) return {};
      if (symbol != kNoOverlap) return SymbolIndex(symbol);
    }
  }
  // buckets_[b] is the first symbol at or after the start of bucket b. A symbol may also begin in an earlier bucket,
  // hence the minus one.
  const u64 bucket = std::min<u64>((dso_address - starts_.front()) >> bucket_shift_, buckets_.size() - 2);
  const auto candidates = std::views::iota(buckets_[bucket], buckets_[bucket + 1]);
  const auto behind = std::ranges::partition_point(candidates, [&](u32 i) { return starts_[i] <= dso_address; });
  const u32 index = buckets_[bucket] + static_cast<u32>(behind - candidates.begin()) - 1;
  if (dso_address < end(SymbolIndex(index)) || dso_address == starts_[index]) return SymbolIndex(index);
  return {};
}

std::optional<Symbol> SymbolTable::find(u64 dso_address) const {
  const SymbolIndex index = find_index(dso_address);
  if (!index) return std::nullopt;
  return at(index);
}

Symbol SymbolTable::at(SymbolIndex index) const {
  const u32 i = index.value;
  return {.start = starts_[i],
          .end = end(index),
          .name = name(index),
          .binding = static_cast<SymbolBinding>(kinds_[i] & 15),
          .type = static_cast<SymbolType>(kinds_[i] >> 4),
          .index = index};
}

std::string SymbolTable::name_in(const NameText& text, u32 place) const {
  return (place & kCopied) != 0 ? copied_.c_str() + (place & ~kCopied) : text.at(place);
}

std::string SymbolTable::name(SymbolIndex index) const { return name_in(text_, names_[index.value]); }

std::vector<Symbol> SymbolTable::find_name(std::string_view raw_name) const {
  const NameText text = text_.loaded();
  std::vector<Symbol> found;
  for (u32 i = 0; i < starts_.size(); ++i) {
    if (name_in(text, names_[i]) == raw_name) found.push_back(at(SymbolIndex(i)));
  }
  return found;
}

std::size_t SymbolTable::memory_bytes() const {
  return starts_.memory_bytes() + ends_.memory_bytes() + names_.capacity() * sizeof(u32) + kinds_.capacity() +
         text_.memory_bytes() + copied_.capacity() + segments_.capacity() * sizeof(Segment) +
         buckets_.capacity() * sizeof(u32);
}

}  // namespace peregrine
