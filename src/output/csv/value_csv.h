// stat --hist -x: COUNT,EVENT:FIELD,LOW,HIGH per range of values; an unbounded end is empty.
#pragma once
#include <optional>
#include <string_view>

#include "analysis/stat/value_distribution.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

void print_value_csv(const ValueDistribution& distribution, std::string_view separator, Sink& out,
                     std::optional<u64> interval_ns = {});

}  // namespace peregrine
