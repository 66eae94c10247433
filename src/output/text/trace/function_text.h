// ftrace's tables: the cost of each function, and the distribution of one function's durations.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/function/call_statistics.h"
#include "output/sink.h"

namespace peregrine {

void print_function_profile(const std::vector<FunctionCost>& rows, Sink& out);

// `unit`: "us" or "ns", that of the ranges. `hide_empty`: omit empty ranges.
void print_duration_histogram(const DurationHistogram& histogram, std::string_view unit, bool hide_empty, Sink& out);

}  // namespace peregrine
