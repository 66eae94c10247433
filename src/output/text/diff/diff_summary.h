// The lines above the table of diff: how much each file counted in all, compared with the baseline, and which binaries
// are different builds of one program. Comments (`#`) for programs that read the table. Pure but for the sink.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "analysis/diff/build_pairing.h"
#include "analysis/diff/total_change.h"
#include "output/sink.h"

namespace peregrine {

struct DiffTotal {
  std::string_view was, is;  // names of the files
  TotalChange change;
};

// `in_ns`: periods of the event are times.
void print_diff_totals(Sink& out, std::string_view event, bool in_ns, std::span<const DiffTotal> totals);
void print_build_pairs(Sink& out, std::span<const BuildPair> pairs);

}  // namespace peregrine
