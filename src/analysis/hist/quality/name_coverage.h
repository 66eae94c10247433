// NameCoverage: how many samples fell into each dso, and how many of them found no name there.
//
// Counted from a frozen Hists: the sampled addresses, not their callers. Functions of stripped programs, which are
// called by their place, have no name.
#pragma once
#include <vector>

#include "analysis/hist/entry/hists.h"
#include "machine/dso/dso.h"

namespace peregrine {

struct DsoHits {
  u32 dso = HistFrame::kNone;  // none: no map covers the address
  char level = '.';            // of addresses in no map: HistFrame::level
  u64 samples = 0, unnamed = 0;
};

struct NameCoverage {
  std::vector<DsoHits> dsos;  // most unnamed first, then most samples
  u64 samples = 0, unnamed = 0;
};

NameCoverage name_coverage_of(const Hists& hists, const DsoTable& dsos);

}  // namespace peregrine
