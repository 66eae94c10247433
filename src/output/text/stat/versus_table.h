// stat --vs on the screen: a line for each counter and metric with both means, their ratio, its interval and a verdict.
#pragma once
#include <span>
#include <string>

#include "analysis/stat/stat_versus.h"
#include "output/sink.h"

namespace peregrine {

struct VersusTitle {
  std::string a, b;  // with their quotes
  u64 pairs = 0;
  std::string thousands;  // what groups digits, "" for nothing
};
void print_versus(const VersusTitle& title, std::span<const VersusRow> rows, std::span<const std::string> left_out,
                  Sink& out);

// "more", "less", "same" (equal in every run) or "unclear" of B against A.
std::string_view versus_verdict(const VersusRow& row);

}  // namespace peregrine
