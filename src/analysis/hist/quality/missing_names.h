// Why the samples of a dso have no names, in words, and what to type about it.
//
// Judged from the places where its symbols were looked for (SymbolSource), so only after they were loaded. Pure.
#pragma once
#include <string>

#include "analysis/hist/quality/name_coverage.h"
#include "machine/dso/dso.h"

namespace peregrine {

struct MissingNames {
  std::string why;     // "it is stripped"; empty when every sample has its name
  std::string remedy;  // what to do; empty when nothing helps
};
MissingNames explain_missing_names(const DsoTable& dsos, const DsoHits& hits);

// One sentence about all samples without a name, when they are many enough to matter; else empty.
std::string sum_up_missing_names(const DsoTable& dsos, const NameCoverage& hits);

}  // namespace peregrine
