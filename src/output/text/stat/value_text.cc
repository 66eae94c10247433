#include "output/text/stat/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/text/counted.h"
#include "base/types.h"

namespace peregrine {

namespace {
constexpr std::size_t kValueBar = 40;
}

void print_value_text(const ValueDistribution& distribution, Sink& out, std::optional<u64> interval_ns) {
  const auto ranges = distribution.ranges();
  const u64 values = distribution.values();
  if (interval_ns) out.append(fmt::format("{:6}.{:09}", *interval_ns / 1000000000, *interval_ns % 1000000000));
  out.append(fmt::format(" {}: {}", distribution.name(), counted(values, "value")));
  if (values > 0) out.append(fmt::format(", average {:.1f}", distribution.average()));
  out.append("\n\n");
  if (ranges.empty()) return;
  u64 most = 0;
  std::size_t low = 4, high = 2, count = 5;  // widths of the titles
  for (const ValueRange& range : ranges) {
    most = std::max(most, range.count);
    low = std::max(low, range.low.size());
    high = std::max(high, range.high.size());
    count = std::max(count, fmt::to_string(range.count).size());
  }
  out.append(fmt::format("  {:>{}}  {:>{}}  {:>{}}\n", "from", low, "to", high, "count", count));
  for (const ValueRange& range : ranges) {
    // A range with any values gets a bar, however rare the values are.
    const auto share = static_cast<double>(range.count) / static_cast<double>(most) * kValueBar;
    const std::size_t length = range.count == 0 ? 0 : std::max<std::size_t>(1, static_cast<std::size_t>(share));
    out.append(fmt::format("  {:>{}}  {:>{}}  {:>{}}  |{:{}}|\n", range.low, low, range.high, high, range.count, count,
                           std::string(length, '#'), kValueBar));
  }
  out.append("\n");
}

}  // namespace peregrine
