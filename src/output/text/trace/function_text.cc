#include "output/text/trace/function_text.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/types.h"

namespace peregrine {
namespace {

constexpr unsigned kFunctionBar = 46;

// Scales a range to a larger unit, such as 2048 us to 2 ms, if both ends are multiples of 1024.
struct Scaled {
  u64 low, high;
  std::string_view unit;
};
Scaled scale(const DurationHistogram::Range& range, std::string_view unit) {
  Scaled scaled{range.low, range.high, unit};
  for (const std::string_view next : {std::string_view("us"), std::string_view("ms"), std::string_view("s")}) {
    if (scaled.low < 1024 || scaled.low % 1024 != 0 || scaled.high % 1024 != 0) break;
    if (next == "us" && scaled.unit != "ns") continue;
    if (next == "ms" && scaled.unit != "us") continue;
    scaled = {scaled.low / 1024, scaled.high / 1024, next};
  }
  return scaled;
}

}  // namespace

void print_function_profile(const std::vector<FunctionCost>& rows, Sink& out) {
  out.append("# Total (us)   Avg (us)   Max (us)      Count   Function\n");
  for (const FunctionCost& row : rows) {
    const auto us = [](u64 ns) { return static_cast<double>(ns) / 1000; };
    out.append(fmt::format("{:12.3f} {:10.3f} {:10.3f} {:10}   {}\n", us(row.total), us(row.average()), us(row.most),
                           row.calls, row.function));
  }
}

void print_duration_histogram(const DurationHistogram& histogram, std::string_view unit, bool hide_empty, Sink& out) {
  const u64 count = histogram.count();
  if (count == 0) {
    out.append("No data found\n");
    return;
  }
  out.append(fmt::format("#   DURATION     | {:>10} | {:<{}} |\n", "COUNT", "GRAPH", kFunctionBar));
  for (const DurationHistogram::Range& range : histogram.ranges()) {
    if (hide_empty && range.count == 0) continue;
    const Scaled scaled = scale(range, unit);
    const std::string high = range.high == 0 ? "..." : std::to_string(scaled.high);
    const std::string bar(range.count * kFunctionBar / count, '#');
    out.append(fmt::format("  {:4} - {:<4} {:<2} | {:10} | {:<{}} |\n", scaled.low, high, scaled.unit, range.count, bar,
                           kFunctionBar));
  }
  const double scale_by = unit == "us" ? 1000 : 1;
  out.append(
      fmt::format("\n# calls: {}  total: {:.3f} {}  average: {:.3f} {}  shortest: {:.3f} {}  longest: {:.3f} {}\n",
                  count, static_cast<double>(histogram.total()) / scale_by, unit,
                  static_cast<double>(histogram.total()) / static_cast<double>(count) / scale_by, unit,
                  static_cast<double>(histogram.shortest()) / scale_by, unit,
                  static_cast<double>(histogram.longest()) / scale_by, unit));
}

}  // namespace peregrine
