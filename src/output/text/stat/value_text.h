// stat --hist: a line per range of values, with a bar relative to the largest. With -I, each line is preceded by the
// interval's end, as in the other formats.
#pragma once
#include <optional>

#include "analysis/stat/value_distribution.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

void print_value_text(const ValueDistribution& distribution, Sink& out, std::optional<u64> interval_ns = {});

}  // namespace peregrine
