#include "analysis/hist/chain/branch_sums.h"

#include <algorithm>

namespace peregrine {

void BranchSums::add(const BranchSums& other) {
  if (ends == 0 || other.last >= last) {
    last = other.last;
    target = other.target;
  }
  left += other.left + (ends != 0 && other.ends != 0 && !other.target ? 1 : 0);
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
