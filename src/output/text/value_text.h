// stat --hist for people: a line per range of values, with a bar as long as its share of the largest.
#pragma once
#include "analysis/stat/value_distribution.h"
#include "output/sink.h"

namespace peregrine {

void print_value_text(const ValueDistribution& distribution, Sink& out);

}  // namespace peregrine
