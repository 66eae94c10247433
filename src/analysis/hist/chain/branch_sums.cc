#include "analysis/hist/chain/branch_sums.h"

#include <algorithm>

namespace peregrine {

void BranchSums::add(const BranchSums& other) {
  if (other.ends == 0) return;
  if (ends == 0) {
    *this = other;
    return;
  }
  // The earlier sample is the first; the first end of the other is now an ordinary end.
  const bool before = other.first < first;
  left += other.left + ((before ? first_target : other.first_target) ? 0 : 1);
  if (before) {
    first = other.first;
    first_target = other.first_target;
  }
  if (other.last >= last) {
    last = other.last;
    target = other.target;
  }
  ends += other.ends;
  predicted += other.predicted;
  aborted += other.aborted;
  cycles += other.cycles;
  rounds += other.rounds;
  round_cycles += other.round_cycles;
  kinds |= other.kinds;
}

BranchSums BranchSums::without(const BranchSums& part) const {
  BranchSums rest = *this;
  rest.ends -= part.ends;
  rest.predicted -= part.predicted;
  rest.aborted -= part.aborted;
  rest.left -= std::min(part.left, left);
  rest.cycles -= part.cycles;
  rest.rounds -= part.rounds;
  rest.round_cycles -= part.round_cycles;
  return rest;
}

}  // namespace peregrine
