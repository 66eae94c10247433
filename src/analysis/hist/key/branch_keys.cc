#include "analysis/hist/key/branch_keys.h"

namespace peregrine {

u64 branch_value(SortKey key, const BranchHit& branch) {
  switch (key) {
    case SortKey::DsoFrom:
    case SortKey::SymbolFrom:
    case SortKey::LineFrom:
    case SortKey::AddressFrom:
      return branch.from.value;
    case SortKey::DsoTo:
    case SortKey::SymbolTo:
    case SortKey::LineTo:
    case SortKey::AddressTo:
      return branch.to.value;
    case SortKey::Mispredict:
      return branch.entry.mispredicted ? 2 : branch.entry.predicted ? 1 : 0;
    case SortKey::InTransaction:
      return branch.entry.in_transaction ? 1 : 0;
    case SortKey::Abort:
      return branch.entry.abort ? 1 : 0;
    case SortKey::Cycles:
      return branch.entry.cycles;
    default:
      return 0;
  }
}

std::string_view branch_word(SortKey key, u64 value) {
  if (key == SortKey::InTransaction) return value != 0 ? "T" : ".";
  if (key == SortKey::Abort) return value != 0 ? "A" : ".";
  return value == 2 ? "Y" : value == 1 ? "N" : "N/A";
}

}  // namespace peregrine
