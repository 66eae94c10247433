// stat --hist -j: one object per field; "low" and "high" are inclusive, null if unbounded.
#pragma once
#include <optional>

#include "analysis/stat/value_distribution.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

void print_value_json(const ValueDistribution& distribution, Sink& out, std::optional<u64> interval_ns = {});

}  // namespace peregrine
