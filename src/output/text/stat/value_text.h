// stat --hist for people: a line per range of values, with a bar as long as its share of the largest. With -I the time
// at the interval's end stands before it, as it does before counts; so it does in the other forms.
#pragma once
#include <optional>

#include "analysis/stat/value_distribution.h"
#include "output/sink.h"

namespace peregrine {

void print_value_text(const ValueDistribution& distribution, Sink& out, std::optional<u64> interval_ns = {});

}  // namespace peregrine
