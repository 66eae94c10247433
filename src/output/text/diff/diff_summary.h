// The lines above diff's table: each file's total compared with the baseline, and binaries that are different builds of
// one program. Written as comments (`#`) for programs. Pure except for the sink.
#pragma once
#include <span>
#include <string_view>

#include "analysis/diff/build_pairing.h"
#include "analysis/diff/total_change.h"
#include "output/sink.h"

namespace peregrine {

struct DiffTotal {
  std::string_view was, is;  // file names
  TotalChange change;
};

// `in_ns`: the event's periods are times.
void print_diff_totals(Sink& out, std::string_view event, bool in_ns, std::span<const DiffTotal> totals);
void print_build_pairs(Sink& out, std::span<const BuildPair> pairs);

}  // namespace peregrine
