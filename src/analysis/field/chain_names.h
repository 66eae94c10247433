// Names of the functions on a sample's call chain, innermost first.
#pragma once
#include <string>
#include <vector>

#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// At most `depth` names; "[unknown]" without a symbol.
std::vector<std::string> chain_names(const ReplaySample& sample, unsigned depth, Resolver& resolver);

}  // namespace peregrine
