// Explains why samples of a dso have no names, and what to do about it.
//
// Uses the SymbolSource entries of its symbol lookup, so call it after symbols were loaded. Pure.
#pragma once
#include <string>

#include "analysis/hist/quality/name_coverage.h"
#include "machine/dso/dso.h"

namespace peregrine {

struct MissingNames {
  std::string why;     // "it is stripped"; empty if all samples have names
  std::string remedy;  // what to do; empty if nothing helps
};
MissingNames explain_missing_names(const DsoTable& dsos, const DsoHits& hits);

// One sentence about all samples without names if they are significant; else empty.
std::string sum_up_missing_names(const DsoTable& dsos, const NameCoverage& hits);

}  // namespace peregrine
