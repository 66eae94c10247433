#include "auxtrace/intel_bts/branch_record.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/types.h"

namespace peregrine::auxtrace {
namespace {

constexpr std::size_t kSize = BtsRecord::kSize;

bool equal(Bytes one, std::size_t first, Bytes other, std::size_t second) {
  return std::memcmp(one.data() + first * kSize, other.data() + second * kSize, kSize) == 0;
}

}  // namespace

BtsRecord decode_bts_record(Bytes bytes) {
  constexpr u64 kPredicted = 1u << 4;
  const auto word = [&](std::size_t at) { return load<u64>(bytes.data() + 8 * at, ByteOrder::Little); };
  return {.from = word(0), .to = word(1), .predicted = (word(2) & kPredicted) != 0};
}

// Finds the longest prefix of `piece` that is a suffix of `before` (Knuth-Morris-Pratt).
std::size_t bts_overlap(Bytes before, Bytes piece) {
  const std::size_t count = piece.size() / kSize, records = before.size() / kSize;
  if (count == 0 || records == 0) return 0;
  std::vector<u32> fallback(count, 0);
  for (std::size_t at = 1, matched = 0; at < count; ++at) {
    while (matched != 0 && !equal(piece, at, piece, matched)) matched = fallback[matched - 1];
    if (equal(piece, at, piece, matched)) ++matched;
    fallback[at] = static_cast<u32>(matched);
  }
  std::size_t matched = 0;
  for (std::size_t at = records - std::min(records, count); at < records; ++at) {
    if (matched == count) matched = fallback[matched - 1];
    while (matched != 0 && !equal(before, at, piece, matched)) matched = fallback[matched - 1];
    if (equal(before, at, piece, matched)) ++matched;
  }
  return matched * kSize;
}

}  // namespace peregrine::auxtrace
