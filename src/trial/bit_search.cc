#include "trial/bit_search.h"

#include <bit>
#include <vector>

#include "base/types.h"
#include "trial/stop_watch.h"

namespace peregrine {

namespace {

constexpr unsigned kWordBits = 64;

std::vector<u64> bitmap_of(const BitSearch& search) {
  std::vector<u64> map((search.bits + kWordBits - 1) / kWordBits, 0);
  const unsigned step = search.set == 0 ? search.bits : search.bits / search.set;
  for (unsigned i = 0; i < search.set; ++i) map[i * step / kWordBits] |= u64{1} << (i * step % kWordBits);
  return map;
}

// Returns the first set bit from `from` on, or `bits` if there is none.
unsigned next_bit(const std::vector<u64>& map, unsigned bits, unsigned from) {
  if (from >= bits) return bits;
  u64 word = map[from / kWordBits] & ~u64{0} << (from % kWordBits);
  for (unsigned at = from / kWordBits;; word = map[at]) {
    if (word != 0) return at * kWordBits + static_cast<unsigned>(std::countr_zero(word));
    if (++at == map.size()) return bits;
  }
}

// Keeps the compiler from removing computations with unused results.
void keep_value(unsigned& value) { asm volatile("" : "+r"(value)); }

}  // namespace

double run_next_set_bit(const BitSearch& search) {
  const std::vector<u64> map = bitmap_of(search);
  unsigned found = 0;
  const StopWatch watch;
  for (unsigned loop = 0; loop < search.loops; ++loop)
    for (unsigned bit = next_bit(map, search.bits, 0); bit < search.bits; bit = next_bit(map, search.bits, bit + 1)) {
      ++found;
      keep_value(found);
    }
  return watch.seconds();
}

double run_each_bit(const BitSearch& search) {
  const std::vector<u64> map = bitmap_of(search);
  unsigned found = 0;
  const StopWatch watch;
  for (unsigned loop = 0; loop < search.loops; ++loop)
    for (unsigned bit = 0; bit < search.bits; ++bit) {
      if ((map[bit / kWordBits] >> (bit % kWordBits) & 1) == 0) continue;
      ++found;
      keep_value(found);
    }
  return watch.seconds();
}

}  // namespace peregrine
