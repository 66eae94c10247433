// The table of --agg: a column for each aggregate and each key, then the histograms.
#pragma once
#include "analysis/field/aggregation.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// `elapsed`: the time that rates refer to, in ns.
void print_aggregation(const Aggregation& aggregation, u64 elapsed, Sink& out);

}  // namespace peregrine
