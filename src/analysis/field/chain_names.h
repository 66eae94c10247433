// Names of the functions on a sample's call chain, the innermost first.
#pragma once
#include <string>
#include <vector>

#include "pipeline/replay/replay.h"

namespace peregrine {

// At most `depth` of them; "[unknown]" where there is no symbol.
std::vector<std::string> chain_names(const ReplaySample& sample, unsigned depth, Resolver& resolver);

}  // namespace peregrine
