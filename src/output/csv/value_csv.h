// stat --hist -x: COUNT,EVENT:FIELD,LOW,HIGH for each range of values; an end that is not there is empty.
#pragma once
#include <optional>
#include <string_view>

#include "analysis/stat/value_distribution.h"
#include "output/sink.h"

namespace peregrine {

void print_value_csv(const ValueDistribution& distribution, std::string_view separator, Sink& out,
                     std::optional<u64> interval_ns = {});

}  // namespace peregrine
