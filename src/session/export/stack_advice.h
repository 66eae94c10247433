// Describes problems with a recording's stacks and the remedy in one sentence: for the end of a report and for
// pictures.
#pragma once
#include <string>
#include <vector>

#include "analysis/hist/entry/hists.h"
#include "data/header/evlist.h"
#include "machine/dso/dso.h"

namespace peregrine {

// Empty: no problems, or no stacks. `names`: of the events.
std::string stack_advice(const data::Evlist& evlist, const std::vector<std::string>& names, const Hists& hists,
                         const DsoTable& dsos);

}  // namespace peregrine
