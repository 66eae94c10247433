// stat --vs -j: one object per counter and metric, on a line each.
#pragma once
#include <span>

#include "analysis/stat/stat_versus.h"
#include "output/sink.h"

namespace peregrine {

void print_versus_json(std::span<const VersusRow> rows, Sink& out);

}  // namespace peregrine
