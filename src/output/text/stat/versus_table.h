// stat --vs: a line per counter and metric with both means, their ratio, its interval and a verdict.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "analysis/stat/stat_versus.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct VersusTitle {
  std::string a, b;  // including quotes
  u64 pairs = 0;
  std::string thousands;  // digit separator, "" for none
};
void print_versus(const VersusTitle& title, std::span<const VersusRow> rows, std::span<const std::string> left_out,
                  Sink& out);

// B relative to A: "more", "less", "same" (equal in all runs) or "unclear".
std::string_view versus_verdict(const VersusRow& row);

}  // namespace peregrine
