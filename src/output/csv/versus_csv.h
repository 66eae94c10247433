// stat --vs -x: a header line, then one line per counter and metric: name,unit,runs,mean of A,mean of
// B,ratio,low,high,chance,verdict. Without a ratio, low and high bound the difference.
#pragma once
#include <span>
#include <string>

#include "analysis/stat/stat_versus.h"
#include "output/sink.h"

namespace peregrine {

void print_versus_csv(std::span<const VersusRow> rows, const std::string& separator, Sink& out);

}  // namespace peregrine
