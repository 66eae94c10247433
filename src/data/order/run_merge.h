// run_merge: sorts an index of records from file order into time order, by merging its ascending runs.
//
//   file order   1 4 7 | 2 3 9 | 8 8 | 5 11        ascending runs: one CPU's ring drained once
//   piles        1 4 7 8 8 | 2 3 9 11 | 5 …        a run goes on the pile with the youngest end that is not younger
//   time order   1 2 3 4 5 7 8 8 9 11              merging k piles; k is about the number of CPUs
//
// Used by Order. Equal times keep file order. Pure.
#pragma once
#include <span>
#include <vector>

#include "base/types.h"

namespace peregrine::data {

struct IndexEntry {
  u64 time = 0;
  u32 chunk = 0;  // slot of the record's chunk
  u32 place = 0;  // offset in the chunk, and Batch's flags
};

// Appends the entries of `pending` that are not younger than `limit` to `out`, in time order, and all others to
// `rest`, in file order.
void merge_runs(std::span<const IndexEntry> pending, u64 limit, std::vector<IndexEntry>& out,
                std::vector<IndexEntry>& rest);

}  // namespace peregrine::data
