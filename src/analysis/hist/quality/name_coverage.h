// NameCoverage: the number of samples per dso, and how many of them have no symbol there.
//
// Computed from a frozen Hists; counts sampled addresses, not callers. Functions of stripped programs that are named by
// address count as unnamed.
#pragma once
#include <vector>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "base/types.h"
#include "machine/dso/dso.h"

namespace peregrine {

struct DsoHits {
  u32 dso = HistFrame::kNone;  // none: outside all maps
  char level = '.';            // for addresses outside all maps: HistFrame::level
  u64 samples = 0, unnamed = 0;
};

struct NameCoverage {
  std::vector<DsoHits> dsos;  // most unnamed first, then most samples
  u64 samples = 0, unnamed = 0;
};

NameCoverage name_coverage_of(const Hists& hists, const DsoTable& dsos);

}  // namespace peregrine
